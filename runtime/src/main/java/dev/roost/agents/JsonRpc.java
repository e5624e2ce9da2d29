package dev.roost.agents;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** One side of JSON-RPC 2.0. Ids and keys are counters, so a replay of the stream yields the same ones. */
public final class JsonRpc {

    public static final int METHOD_NOT_FOUND = -32601;

    private final Map<Integer, ResponseHandlers> awaited = new HashMap<>();
    private int lastId;

    /** The handlers of a response to a request. */
    public record ResponseHandlers(
            Function<JsonNode, List<AgentOutput>> result, Function<JsonNode, List<AgentOutput>> error) {}

    /** Creates the next request, with a generated key. */
    public AgentOutput.StdinLine ask(String method, ObjectNode params, ResponseHandlers then) {
        return ask("rpc:" + (lastId + 1), method, params, then);
    }

    public AgentOutput.StdinLine ask(String key, String method, ObjectNode params, ResponseHandlers then) {
        awaited.put(++lastId, then);
        var line = JsonLines.object().put("jsonrpc", "2.0").put("id", lastId).put("method", method);
        line.set("params", params);
        return new AgentOutput.StdinLine(key, line.toString());
    }

    public List<AgentOutput> answered(JsonNode json) {
        var then = awaited.remove(json.path("id").asInt(0));
        if (then == null) return List.of();
        return json.hasNonNull("error")
                ? then.error().apply(json.path("error"))
                : then.result().apply(json.path("result"));
    }

    /** Creates a response; {@code id} is the request's, unchanged: a number or a string. */
    public static AgentOutput.StdinLine result(String key, JsonNode id, ObjectNode result) {
        return new AgentOutput.StdinLine(key, answer(id, "result", result));
    }

    public static AgentOutput.StdinLine error(JsonNode id, int code, String message) {
        var error = JsonLines.object().put("code", code).put("message", message);
        return new AgentOutput.StdinLine(key(id), answer(id, "error", error));
    }

    public static String key(JsonNode id) {
        return "reply:" + id;
    }

    private static String answer(JsonNode id, String field, ObjectNode content) {
        var line = JsonLines.object().put("jsonrpc", "2.0");
        line.set("id", id);
        line.set(field, content);
        return line.toString();
    }
}
