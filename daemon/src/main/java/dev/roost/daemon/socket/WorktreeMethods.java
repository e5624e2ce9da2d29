package dev.roost.daemon.socket;

import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.RequestFields;
import dev.roost.daemon.api.RunJson;
import dev.roost.service.RoostService;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Methods for pauses and for restoring work; and the changes of runs. */
final class WorktreeMethods {

    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    private final RoostService service;
    private final RunJson json;

    WorktreeMethods(RoostService service, RunJson json) {
        this.service = service;
        this.json = json;
    }

    /** Waits for changes of runs, for clients that display them live. */
    ApiReply changes(@Nullable JsonNode params) {
        var requestFields = RequestFields.of(params, "caller", "operator", "after", "timeout_ms");
        var changes = service.changes()
                .since(
                        requestFields.text("after"),
                        requestFields.timeout("timeout_ms", DEFAULT_TIMEOUT),
                        RpcMethods.caller(service, requestFields));
        var answer = RunJson.MAPPER.createObjectNode().put("position", changes.position());
        if (changes.again()) return new ApiReply(answer.put("again", true));
        var runs = answer.putArray("runs");
        changes.runs().forEach(run -> runs.add(json.run(run)));
        if (!changes.removed().isEmpty()) changes.removed().forEach(answer.putArray("removed")::add);
        return new ApiReply(answer);
    }

    ApiReply restore(@Nullable JsonNode params) {
        var requestFields = RequestFields.of(params, "caller", "operator", "run_id", "to", "checkpoint");
        var run = service.find(requestFields.required("run_id"), RpcMethods.caller(service, requestFields));
        var to = requestFields.text("to").isPresent()
                ? Optional.of(requestFields.path("to"))
                : Optional.<java.nio.file.Path>empty();
        var place = service.runWorktrees()
                .restore(run, to, requestFields.atLeastOne("checkpoint").map(Math::toIntExact));
        var restored = service.find(run.id().text(), RpcMethods.caller(service, requestFields));
        return new ApiReply(json.run(restored).put("restored_to", place.toString()));
    }

    ApiReply pause(@Nullable JsonNode params) {
        MaintenanceMethods.operatorFields(params, "caller", "operator");
        return new ApiReply(json.pause(service.pause()));
    }

    ApiReply resume(@Nullable JsonNode params) {
        MaintenanceMethods.operatorFields(params, "caller", "operator");
        var answer = RunJson.MAPPER.createObjectNode();
        service.resume().ifPresent(pause -> answer.set("pause", json.pause(pause)));
        return new ApiReply(answer);
    }
}
