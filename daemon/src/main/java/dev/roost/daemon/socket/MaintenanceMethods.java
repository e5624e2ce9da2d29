package dev.roost.daemon.socket;

import dev.roost.base.BadInput;
import dev.roost.base.Refusal;
import dev.roost.base.TextFormat;
import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.RequestFields;
import dev.roost.daemon.api.RunJson;
import dev.roost.service.PruneRequest;
import dev.roost.service.RoostService;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Methods for the operator only: prune, backup and doctor. */
final class MaintenanceMethods {

    private static final Duration A_MONTH = Duration.ofDays(30);

    private final RoostService service;
    private final RunJson json;

    MaintenanceMethods(RoostService service, RunJson json) {
        this.service = service;
        this.json = json;
    }

    static RequestFields operatorFields(@Nullable JsonNode params, String... known) {
        var requestFields = RequestFields.of(params, known);
        if (requestFields.flag("operator")) return requestFields;
        throw new Refusal(
                "operator_only", "Only the operator may do this.", "Do it from a plain shell, outside of a run.");
    }

    ApiReply prune(@Nullable JsonNode params) {
        var requestFields = operatorFields(
                params, "caller", "operator", "older_than", "max_size", "unread", "unmerged", "kept", "dry_run");
        var size = requestFields.text("max_size").map(text -> TextFormat.size("max_size", text));
        var result = service.maintenance()
                .prune(new PruneRequest(
                        requestFields.duration("older_than").orElse(A_MONTH),
                        size.isPresent() ? OptionalLong.of(size.get()) : OptionalLong.empty(),
                        requestFields.flag("unread"),
                        requestFields.flag("unmerged"),
                        requestFields.flag("kept"),
                        requestFields.flag("dry_run")));
        var answer = json.runs(result.runs(), Optional.empty());
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
        var requestFields = operatorFields(params, "caller", "operator", "fix");
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
        var requestFields = operatorFields(params, "caller", "operator", "file");
        var file = requestFields.path("file");
        if (!file.isAbsolute()) throw new BadInput("bad_field", "The field file is not an absolute path.", "Pass one.");
        service.maintenance().backUp(file);
        return new ApiReply(RunJson.MAPPER.createObjectNode().put("file", file.toString()));
    }
}
