package dev.roost.daemon.api;

import dev.roost.base.ErrorCode;
import dev.roost.node.NodeStatus;
import dev.roost.service.RoostService;
import java.util.TreeSet;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/** Lists and drains the nodes of a cluster; for the operator only. */
public record NodeOperations(RoostService service) {

    private static final FieldSpec NODE = FieldSpec.Kind.TEXT.named("node");

    public Operation list() {
        return forOperators(_ -> {
            var answer = RunJson.MAPPER.createObjectNode();
            var list = answer.putArray("nodes");
            service.nodes().list().forEach(status -> list.add(json(status)));
            return answer;
        });
    }

    public Operation drain() {
        return forOperators(
                requestFields -> json(service.nodes().drain(requestFields.text("node"), requestFields.flag("move"))),
                NODE,
                FieldSpec.Kind.FLAG.named("move"));
    }

    public Operation resume() {
        return forOperators(requestFields -> json(service.nodes().resume(requestFields.required("node"))), NODE);
    }

    public Operation forget() {
        return forOperators(requestFields -> json(service.nodes().forget(requestFields.required("node"))), NODE);
    }

    private static Operation forOperators(Function<RequestFields, ObjectNode> handler, FieldSpec... fields) {
        return Operation.of(
                (requestFields, caller) -> {
                    operatorsOnly(caller.operator());
                    return new ApiReply(handler.apply(requestFields));
                },
                fields);
    }

    /** Refuses all callers but the operator. */
    public static void operatorsOnly(boolean operator) {
        if (!operator) throw ErrorCode.OPERATOR_ONLY.error("Only the operator may do this.");
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
