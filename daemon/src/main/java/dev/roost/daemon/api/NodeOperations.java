package dev.roost.daemon.api;

import dev.roost.base.Refusal;
import dev.roost.model.Caller;
import dev.roost.node.NodeStatus;
import dev.roost.service.RoostService;
import java.util.TreeSet;
import tools.jackson.databind.node.ObjectNode;

/** The machines of a cluster: the operator's matter alone. */
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
        service.nodes().list().forEach(peer -> list.add(json(peer)));
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

    private static ObjectNode json(NodeStatus peer) {
        var json = RunJson.MAPPER.createObjectNode();
        json.put("node", peer.name())
                .put("state", peer.state().word())
                .put("moving", peer.moves())
                .put("runs", peer.running())
                .put("slots", peer.slots())
                .put("version", peer.version())
                .put("heard_at", peer.heardAt().toString())
                .put("unheard_ms", peer.unheardFor().toMillis())
                .put("self", peer.self());
        new TreeSet<>(peer.labels()).forEach(json.putArray("labels")::add);
        return json;
    }
}
