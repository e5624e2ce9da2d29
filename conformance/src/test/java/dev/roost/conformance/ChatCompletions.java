package dev.roost.conformance;

import static dev.roost.conformance.Json.items;
import static dev.roost.conformance.Json.object;
import static dev.roost.conformance.Json.text;

import dev.roost.conformance.Conversation.Message;
import dev.roost.conformance.Conversation.Role;
import dev.roost.conformance.Conversation.Tool;
import dev.roost.conformance.Step.Status;
import dev.roost.conformance.Turn.ToolCall;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code POST /v1/chat/completions}, spoken by OpenCode's custom providers. */
final class ChatCompletions implements Dialect {

    @Override
    public boolean speaks(String path) {
        return path.endsWith("/chat/completions");
    }

    @Override
    public Conversation read(JsonNode request) {
        var messages = items(request.path("messages")).stream()
                .map(message -> new Message(role(message), text(message.path("content"))))
                .toList();
        var tools = items(request.path("tools")).stream()
                .map(tool -> new Tool(tool.path("function").path("name").asString()))
                .toList();
        return new Conversation(messages, tools);
    }

    private static Role role(JsonNode message) {
        return switch (message.path("role").asString()) {
            case "user" -> Role.USER;
            case "assistant" -> Role.MODEL;
            case "tool" -> Role.TOOL;
            default -> Role.OTHER;
        };
    }

    @Override
    public ObjectNode whole(Turn turn) {
        var message = turn.call()
                .map(call -> object("role", "assistant", "tool_calls", List.of(call(call))))
                .orElseGet(() -> object("role", "assistant", "content", turn.words()));
        return answer(
                turn,
                Turn.id("chatcmpl-"),
                "chat.completion",
                List.of(object("index", 0, "message", message, "finish_reason", finish(turn))));
    }

    @Override
    public List<Event> streamed(Turn turn) {
        String id = Turn.id("chatcmpl-");
        var delta = turn.call()
                .map(call -> object("tool_calls", List.of(call(call))))
                .orElseGet(() -> object("content", turn.words()));
        var last = object("index", 0, "delta", object(), "finish_reason", finish(turn));
        var before = turn.saysBeforeItCalls() ? turn.words() : "";
        return List.of(
                chunk(turn, id, object("index", 0, "delta", object("role", "assistant", "content", before))),
                chunk(turn, id, object("index", 0, "delta", delta)),
                chunk(turn, id, last));
    }

    @Override
    public String farewell() {
        return "data: [DONE]\n\n";
    }

    private static Event chunk(Turn turn, String id, ObjectNode choice) {
        return new Event("", answer(turn, id, "chat.completion.chunk", List.of(choice)));
    }

    private static ObjectNode answer(Turn turn, String id, String kind, List<ObjectNode> choices) {
        var usage = object(
                "prompt_tokens", turn.usage().input(),
                "completion_tokens", turn.usage().output(),
                "total_tokens", turn.usage().total());
        return object(
                "id", id, "object", kind, "created", 1, "model", turn.model(), "choices", choices, "usage", usage);
    }

    private static ObjectNode call(ToolCall call) {
        var function =
                object("name", call.tool().name(), "arguments", call.arguments().toString());
        return object("index", 0, "id", Turn.id("call_"), "type", "function", "function", function);
    }

    private static String finish(Turn turn) {
        return turn.call().isPresent() ? "tool_calls" : "stop";
    }

    @Override
    public ObjectNode error(Status status) {
        return OpenAiErrors.body(status);
    }

    @Override
    public Map<String, String> errorHeaders(Status status) {
        return OpenAiErrors.headers(status);
    }
}
