package dev.roost.agents;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** One side of JSON-RPC 2.0. Ids and keys come from counting, so they are the same whenever the stream is heard anew. */
final class JsonRpc {

    static final int METHOD_NOT_FOUND = -32601;

    private final Map<Integer, Then> awaited = new HashMap<>();
    private int lastId;

    /** What the answer to a request means. */
    record Then(Function<JsonNode, List<Said>> result, Function<JsonNode, List<Said>> error) {}

    /** The next request, under a key of its own. */
    Said.Send ask(String method, ObjectNode params, Then then) {
        return ask("rpc:" + (lastId + 1), method, params, then);
    }

    Said.Send ask(String key, String method, ObjectNode params, Then then) {
        awaited.put(++lastId, then);
        var line = JsonLines.object().put("jsonrpc", "2.0").put("id", lastId).put("method", method);
        line.set("params", params);
        return new Said.Send(key, line.toString());
    }

    List<Said> answered(JsonNode json) {
        var then = awaited.remove(json.path("id").asInt(0));
        if (then == null) return List.of();
        return json.hasNonNull("error")
                ? then.error().apply(json.path("error"))
                : then.result().apply(json.path("result"));
    }

    /** An answer of ours; {@code id} is given back as it came, a number or a string. */
    static Said.Send result(String key, JsonNode id, ObjectNode result) {
        return new Said.Send(key, answer(id, "result", result));
    }

    static Said.Send error(JsonNode id, int code, String message) {
        var error = JsonLines.object().put("code", code).put("message", message);
        return new Said.Send(key(id), answer(id, "error", error));
    }

    static String key(JsonNode id) {
        return "reply:" + id;
    }

    private static String answer(JsonNode id, String field, ObjectNode content) {
        var line = JsonLines.object().put("jsonrpc", "2.0");
        line.set("id", id);
        line.set(field, content);
        return line.toString();
    }
}
