package dev.roost.conformance.model;

import static dev.roost.conformance.model.JsonObjects.object;
import static dev.roost.conformance.model.JsonObjects.text;
import static dev.roost.conformance.model.JsonObjects.with;

import dev.roost.conformance.model.ModelRequest.Message;
import dev.roost.conformance.model.ModelRequest.Role;
import dev.roost.conformance.model.ModelRequest.Tool;
import dev.roost.conformance.model.ScriptStep.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code POST /v1/responses}, used by Codex. */
final class OpenAiResponsesDialect implements ModelDialect {

    @Override
    public boolean speaks(String path) {
        return path.endsWith("/responses");
    }

    @Override
    public ModelRequest read(JsonNode request) {
        var messages = new ArrayList<Message>();
        var input = request.path("input");
        if (input.isString()) messages.add(new Message(Role.USER, input.asString()));
        for (var item : input) message(item, messages);
        var tools = new ArrayList<Tool>();
        for (var tool : request.path("tools")) {
            String name = tool.path("name").asString(tool.path("type").asString());
            if (!tool.path("type").asString().equals("namespace")) tools.add(new Tool(name));
            for (var inner : tool.path("tools"))
                tools.add(new Tool(inner.path("name").asString(), name));
        }
        return new ModelRequest(messages, tools);
    }

    private static void message(JsonNode item, List<Message> messages) {
        String type = item.path("type").asString("message");
        if (type.endsWith("_output")) messages.add(new Message(Role.TOOL, text(item.path("output"))));
        else if (type.endsWith("_call")) call(messages);
        else if (type.equals("agent_message")) messages.add(new Message(Role.USER, task(item.path("content"))));
        else if (type.equals("message")) messages.add(new Message(role(item), text(item.path("content"))));
    }

    /** Text and tool calls of one response are one answer. */
    private static void call(List<Message> messages) {
        boolean hasText = !messages.isEmpty()
                && messages.getLast().role() == Role.MODEL
                && !messages.getLast().text().isEmpty();
        if (!hasText) messages.add(new Message(Role.MODEL, ""));
    }

    /** Messages between agents, which the provider encrypts and this model sends as plain text. */
    private static String task(JsonNode content) {
        var words = new StringBuilder(text(content));
        for (var part : content)
            words.append('\n').append(part.path("encrypted_content").asString(""));
        return words.toString();
    }

    private static Role role(JsonNode item) {
        return switch (item.path("role").asString()) {
            case "user" -> Role.USER;
            case "assistant" -> Role.MODEL;
            default -> Role.OTHER;
        };
    }

    @Override
    public ObjectNode whole(ModelTurn modelTurn) {
        return response(modelTurn, ModelTurn.id("resp_"), "completed", List.of(item(modelTurn)));
    }

    @Override
    public List<Event> streamed(ModelTurn modelTurn) {
        String id = ModelTurn.id("resp_");
        var item = item(modelTurn);
        var events = new ArrayList<Event>();
        events.add(event(events, "response.created", "response", response(modelTurn, id, "in_progress", List.of())));
        int index = modelTurn.saysBeforeItCalls() ? 1 : 0;
        var output = new ArrayList<ObjectNode>();
        if (index == 1) {
            var messageItem =
                    item(new ModelTurn(modelTurn.model(), modelTurn.words(), Optional.empty(), modelTurn.tokenUsage()));
            output.add(messageItem);
            events.add(event(events, "response.output_item.added", "output_index", 0, "item", messageItem));
            events.add(event(events, "response.output_item.done", "output_index", 0, "item", messageItem));
        }
        output.add(item);
        var begun = modelTurn.call().isPresent() ? with(item, "arguments", "") : with(item, "content", List.of());
        events.add(event(events, "response.output_item.added", "output_index", index, "item", begun));
        if (modelTurn.call().isEmpty()) {
            var part = item.path("content").path(0);
            var at = object("item_id", item.path("id"), "output_index", 0, "content_index", 0);
            events.add(event(events, "response.content_part.added", at, "part", with((ObjectNode) part, "text", "")));
            events.add(event(events, "response.output_text.delta", at, "delta", modelTurn.words()));
            events.add(event(events, "response.output_text.done", at, "text", modelTurn.words()));
            events.add(event(events, "response.content_part.done", at, "part", part));
        }
        events.add(event(events, "response.output_item.done", "output_index", index, "item", item));
        events.add(event(events, "response.completed", "response", response(modelTurn, id, "completed", output)));
        return events;
    }

    private static ObjectNode response(ModelTurn modelTurn, String id, String status, List<ObjectNode> output) {
        var response = object("id", id, "object", "response", "created_at", 1, "status", status);
        var usage = object(
                "input_tokens", modelTurn.tokenUsage().input(),
                "input_tokens_details", object("cached_tokens", 0),
                "output_tokens", modelTurn.tokenUsage().output(),
                "output_tokens_details", object("reasoning_tokens", 0),
                "total_tokens", modelTurn.tokenUsage().total());
        response = with(response, "model", modelTurn.model(), "output", output);
        return status.equals("completed") ? with(response, "usage", usage) : response;
    }

    private static ObjectNode item(ModelTurn modelTurn) {
        return modelTurn
                .call()
                .map(call -> {
                    var item = object(
                            "type", "function_call",
                            "id", ModelTurn.id("fc_"),
                            "call_id", ModelTurn.id("call_"),
                            "status", "completed",
                            "name", call.tool().name(),
                            "arguments", call.arguments().toString());
                    String namespace = call.tool().namespace();
                    return namespace.isEmpty() ? item : with(item, "namespace", namespace);
                })
                .orElseGet(() -> object(
                        "type", "message",
                        "id", ModelTurn.id("msg_"),
                        "status", "completed",
                        "role", "assistant",
                        "content",
                                List.of(object(
                                        "type", "output_text", "text", modelTurn.words(), "annotations", List.of()))));
    }

    private static Event event(List<Event> before, String type, Object... fields) {
        return event(before, type, object(), fields);
    }

    private static Event event(List<Event> before, String type, ObjectNode at, Object... fields) {
        var data = with(object("type", type, "sequence_number", before.size()), fields);
        return new Event(type, data.setAll(at));
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
