package dev.roost.daemon.socket;

import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.NodeOperations;
import dev.roost.daemon.api.RequestFields;
import dev.roost.daemon.api.RunJson;
import dev.roost.service.PruneRequest;
import dev.roost.service.RoostService;
import java.time.Duration;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Methods for the operator only: pauses, prune, backup and doctor. */
record OperatorMethods(RoostService service, RunJson json) {

    private static final Duration A_MONTH = Duration.ofDays(30);

    private static RequestFields fields(@Nullable JsonNode params, String... names) {
        var known = Stream.concat(Arrays.stream(names), Stream.of("caller", "operator"));
        var requestFields = RequestFields.of(params, known.toArray(String[]::new));
        NodeOperations.operatorsOnly(requestFields.flag("operator"));
        return requestFields;
    }

    ApiReply pause(@Nullable JsonNode params) {
        fields(params);
        return new ApiReply(json.pause(service.pause()));
    }

    ApiReply resume(@Nullable JsonNode params) {
        fields(params);
        var answer = RunJson.MAPPER.createObjectNode();
        service.resume().ifPresent(pause -> answer.set("pause", json.pause(pause)));
        return new ApiReply(answer);
    }

    ApiReply prune(@Nullable JsonNode params) {
        var requestFields = fields(params, "older_than", "max_size", "unread", "unmerged", "kept", "dry_run");
        var size = requestFields.text("max_size").map(text -> TextFormat.size("max_size", text));
        var result = service.maintenance()
                .prune(new PruneRequest(
                        requestFields.duration("older_than").orElse(A_MONTH),
                        size.isPresent() ? OptionalLong.of(size.get()) : OptionalLong.empty(),
                        requestFields.flag("unread"),
                        requestFields.flag("unmerged"),
                        requestFields.flag("kept"),
                        requestFields.flag("dry_run")));
        var answer = json.runs(result.runs());
        var worktrees = answer.putArray("worktrees");
        result.worktrees().forEach(run -> worktrees.add(json.run(run)));
        var left = answer.putArray("left");
        result.left().forEach(one -> left.add(json.run(one.run()).put("why", one.why())));
        var elsewhere = answer.putArray("elsewhere");
        for (var node : result.elsewhere())
            elsewhere
                    .addObject()
                    .put("node", node.node())
                    .put("runs", node.runs())
                    .put("why", node.why());
        return new ApiReply(answer.put("bytes", result.bytes()));
    }

    ApiReply doctor(@Nullable JsonNode params) {
        var requestFields = fields(params, "fix");
        var answer = RunJson.MAPPER.createObjectNode();
        var list = answer.putArray("findings");
        for (var finding : service.maintenance().examine(requestFields.flag("fix"))) {
            var one = list.addObject();
            one.put("what", finding.what()).put("level", finding.level().word()).put("message", finding.message());
            finding.fix().ifPresent(fix -> one.put("fix", fix));
        }
        return new ApiReply(answer);
    }

    ApiReply backUp(@Nullable JsonNode params) {
        var requestFields = fields(params, "file");
        var file = requestFields.path("file");
        if (!file.isAbsolute()) throw ErrorCode.BAD_FIELD.error("The field file is not an absolute path.", "Pass one.");
        service.maintenance().backUp(file);
        return new ApiReply(RunJson.MAPPER.createObjectNode().put("file", file.toString()));
    }
}
