package dev.roost.conformance.model;

import static dev.roost.conformance.model.JsonObjects.items;
import static dev.roost.conformance.model.JsonObjects.object;
import static dev.roost.conformance.model.JsonObjects.text;

import dev.roost.conformance.model.ModelRequest.Message;
import dev.roost.conformance.model.ModelRequest.Role;
import dev.roost.conformance.model.ModelRequest.Tool;
import dev.roost.conformance.model.ModelTurn.ToolCall;
import dev.roost.conformance.model.ScriptStep.Status;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code POST /v1/chat/completions}, used by OpenCode's custom providers. */
final class OpenAiChatDialect implements ModelDialect {

    @Override
    public boolean speaks(String path) {
        return path.endsWith("/chat/completions");
    }

    @Override
    public ModelRequest read(JsonNode request) {
        var messages = items(request.path("messages")).stream()
                .map(message -> new Message(role(message), text(message.path("content"))))
                .toList();
        var tools = items(request.path("tools")).stream()
                .map(tool -> new Tool(tool.path("function").path("name").asString()))
                .toList();
        return new ModelRequest(messages, tools);
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
    public ObjectNode whole(ModelTurn modelTurn) {
        var message = modelTurn
                .call()
                .map(call -> object("role", "assistant", "tool_calls", List.of(call(call))))
                .orElseGet(() -> object("role", "assistant", "content", modelTurn.words()));
        return answer(
                modelTurn,
                ModelTurn.id("chatcmpl-"),
                "chat.completion",
                List.of(object("index", 0, "message", message, "finish_reason", finish(modelTurn))));
    }

    @Override
    public List<Event> streamed(ModelTurn modelTurn) {
        String id = ModelTurn.id("chatcmpl-");
        var delta = modelTurn
                .call()
                .map(call -> object("tool_calls", List.of(call(call))))
                .orElseGet(() -> object("content", modelTurn.words()));
        var last = object("index", 0, "delta", object(), "finish_reason", finish(modelTurn));
        var before = modelTurn.saysBeforeItCalls() ? modelTurn.words() : "";
        return List.of(
                chunk(modelTurn, id, object("index", 0, "delta", object("role", "assistant", "content", before))),
                chunk(modelTurn, id, object("index", 0, "delta", delta)),
                chunk(modelTurn, id, last));
    }

    @Override
    public String farewell() {
        return "data: [DONE]\n\n";
    }

    private static Event chunk(ModelTurn modelTurn, String id, ObjectNode choice) {
        return new Event("", answer(modelTurn, id, "chat.completion.chunk", List.of(choice)));
    }

    private static ObjectNode answer(ModelTurn modelTurn, String id, String kind, List<ObjectNode> choices) {
        var usage = object(
                "prompt_tokens", modelTurn.tokenUsage().input(),
                "completion_tokens", modelTurn.tokenUsage().output(),
                "total_tokens", modelTurn.tokenUsage().total());
        return object(
                "id", id, "object", kind, "created", 1, "model", modelTurn.model(), "choices", choices, "usage", usage);
    }

    private static ObjectNode call(ToolCall call) {
        var function =
                object("name", call.tool().name(), "arguments", call.arguments().toString());
        return object("index", 0, "id", ModelTurn.id("call_"), "type", "function", "function", function);
    }

    private static String finish(ModelTurn modelTurn) {
        return modelTurn.call().isPresent() ? "tool_calls" : "stop";
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
