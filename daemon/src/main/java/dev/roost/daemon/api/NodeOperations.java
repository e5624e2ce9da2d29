package dev.roost.daemon.api;

import dev.roost.base.Refusal;
import dev.roost.model.Caller;
import dev.roost.node.NodeStatus;
import dev.roost.service.RoostService;
import java.util.TreeSet;
import tools.jackson.databind.node.ObjectNode;

/** Lists and drains the nodes of a cluster; for the operator only. */
public record NodeOperations(RoostService service) {

    public Operation list() {
        return Operation.of((_, caller) -> list(caller));
    }

    public Operation drain() {
        return Operation.of(this::drain, FieldSpec.text("node"), FieldSpec.flag("move"));
    }

    public Operation resume() {
        return Operation.of(this::resume, FieldSpec.text("node"));
    }

    public Operation forget() {
        return Operation.of(this::forget, FieldSpec.text("node"));
    }

    private ApiReply list(Caller caller) {
        operatorsOnly(caller);
        var answer = RunJson.MAPPER.createObjectNode();
        var list = answer.putArray("nodes");
        service.nodes().list().forEach(status -> list.add(json(status)));
        return new ApiReply(answer);
    }

    private ApiReply drain(RequestFields requestFields, Caller caller) {
        operatorsOnly(caller);
        return new ApiReply(json(service.nodes().drain(requestFields.text("node"), requestFields.flag("move"))));
    }

    private ApiReply resume(RequestFields requestFields, Caller caller) {
        operatorsOnly(caller);
        return new ApiReply(json(service.nodes().resume(requestFields.required("node"))));
    }

    private ApiReply forget(RequestFields requestFields, Caller caller) {
        operatorsOnly(caller);
        return new ApiReply(json(service.nodes().forget(requestFields.required("node"))));
    }

    private static void operatorsOnly(Caller caller) {
        if (!caller.operator())
            throw new Refusal(
                    "operator_only", "Only the operator may do this.", "Do it from a plain shell, outside of a run.");
    }

    private static ObjectNode json(NodeStatus status) {
        var json = RunJson.MAPPER.createObjectNode();
        json.put("node", status.name())
                .put("state", status.state().word())
                .put("moving", status.moves())
                .put("runs", status.running())
                .put("slots", status.slots())
                .put("version", status.version())
                .put("heard_at", status.heardAt().toString())
                .put("unheard_ms", status.unheardFor().toMillis())
                .put("self", status.self());
        new TreeSet<>(status.labels()).forEach(json.putArray("labels")::add);
        return json;
    }
}
