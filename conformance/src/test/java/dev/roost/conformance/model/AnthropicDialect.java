package dev.roost.conformance.model;

import static dev.roost.conformance.model.JsonObjects.items;
import static dev.roost.conformance.model.JsonObjects.object;
import static dev.roost.conformance.model.JsonObjects.text;
import static dev.roost.conformance.model.JsonObjects.with;

import dev.roost.conformance.model.ModelRequest.Message;
import dev.roost.conformance.model.ModelRequest.Role;
import dev.roost.conformance.model.ModelRequest.Tool;
import dev.roost.conformance.model.ScriptStep.Status;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code POST /v1/messages}, used by Claude Code. */
final class AnthropicDialect implements ModelDialect {

    @Override
    public boolean speaks(String path) {
        return path.endsWith("/messages");
    }

    @Override
    public ModelRequest read(JsonNode request) {
        var messages = new ArrayList<Message>();
        for (var message : request.path("messages")) {
            var content = message.path("content");
            switch (message.path("role").asString()) {
                case "assistant" -> messages.add(new Message(Role.MODEL, text(content)));
                case "user" -> user(content, messages);
                default -> messages.add(new Message(Role.OTHER, text(content)));
            }
        }
        var tools = items(request.path("tools")).stream()
                .map(tool -> new Tool(tool.path("name").asString()))
                .toList();
        return new ModelRequest(messages, tools);
    }

    private static void user(JsonNode content, List<Message> messages) {
        if (content.isString()) messages.add(new Message(Role.USER, content.asString()));
        for (var part : content) {
            messages.add(
                    part.path("type").asString().equals("tool_result")
                            ? new Message(Role.TOOL, text(part.path("content")))
                            : new Message(Role.USER, part.path("text").asString("")));
        }
    }

    @Override
    public ObjectNode whole(ModelTurn modelTurn) {
        return with(
                messageStart(modelTurn),
                "content",
                List.of(block(modelTurn)),
                "stop_reason",
                stopReason(modelTurn),
                "usage",
                usage(modelTurn, modelTurn.tokenUsage().output()));
    }

    @Override
    public List<Event> streamed(ModelTurn modelTurn) {
        var block = block(modelTurn);
        var empty = modelTurn.call().isPresent() ? with(block, "input", object()) : with(block, "text", "");
        var events = new ArrayList<Event>();
        events.add(event("message_start", "message", messageStart(modelTurn)));
        int index = modelTurn.saysBeforeItCalls() ? 1 : 0;
        if (index == 1) {
            events.add(event("content_block_start", "index", 0, "content_block", object("type", "text", "text", "")));
            events.add(delta(0, object("type", "text_delta", "text", modelTurn.words())));
            events.add(event("content_block_stop", "index", 0));
        }
        events.add(event("content_block_start", "index", index, "content_block", empty));
        modelTurn
                .call()
                .ifPresentOrElse(
                        call -> events.add(delta(
                                index,
                                object(
                                        "type",
                                        "input_json_delta",
                                        "partial_json",
                                        call.arguments().toString()))),
                        () -> events.add(delta(index, object("type", "text_delta", "text", modelTurn.words()))));
        events.add(event("content_block_stop", "index", index));
        events.add(event(
                "message_delta",
                "delta",
                object("stop_reason", stopReason(modelTurn)),
                "usage",
                object("output_tokens", modelTurn.tokenUsage().output())));
        events.add(event("message_stop"));
        return events;
    }

    private static ObjectNode messageStart(ModelTurn modelTurn) {
        var message = object(
                "id", ModelTurn.id("msg_"),
                "type", "message",
                "role", "assistant",
                "model", modelTurn.model(),
                "content", List.of(),
                "usage", usage(modelTurn, 1));
        message.putNull("stop_reason");
        message.putNull("stop_sequence");
        return message;
    }

    private static ObjectNode usage(ModelTurn modelTurn, int output) {
        return object(
                "input_tokens",
                modelTurn.tokenUsage().input(),
                "output_tokens",
                output,
                "cache_creation_input_tokens",
                0,
                "cache_read_input_tokens",
                0);
    }

    private static ObjectNode block(ModelTurn modelTurn) {
        return modelTurn
                .call()
                .map(call -> object(
                        "type", "tool_use",
                        "id", ModelTurn.id("toolu_"),
                        "name", call.tool().name(),
                        "input", call.arguments()))
                .orElseGet(() -> object("type", "text", "text", modelTurn.words()));
    }

    private static String stopReason(ModelTurn modelTurn) {
        return modelTurn.call().isPresent() ? "tool_use" : "end_turn";
    }

    private static Event delta(int index, ObjectNode delta) {
        return event("content_block_delta", "index", index, "delta", delta);
    }

    private static Event event(String type, Object... fields) {
        return new Event(type, with(object("type", type), fields));
    }

    @Override
    public ObjectNode error(Status status) {
        String type = switch (status.code()) {
            case 400 -> "invalid_request_error";
            case 401 -> "authentication_error";
            case 429 -> "rate_limit_error";
            case 529 -> "overloaded_error";
            default -> "api_error";
        };
        return object("type", "error", "error", object("type", type, "message", "scripted " + status.code()));
    }

    @Override
    public Map<String, String> errorHeaders(Status status) {
        var headers = new HashMap<String, String>();
        status.reset().ifPresent(seconds -> {
            String at = Long.toString(Instant.now().getEpochSecond() + seconds);
            headers.put("retry-after", seconds.toString());
            headers.put(
                    "anthropic-ratelimit-requests-reset",
                    Instant.ofEpochSecond(Long.parseLong(at)).toString());
            if (!status.plan()) return;
            headers.put("anthropic-ratelimit-unified-status", "rejected");
            headers.put("anthropic-ratelimit-unified-reset", at);
            headers.put("anthropic-ratelimit-unified-representative-claim", "five_hour");
            headers.put("anthropic-ratelimit-unified-5h-status", "rejected");
            headers.put("anthropic-ratelimit-unified-5h-reset", at);
            headers.put("anthropic-ratelimit-unified-5h-utilization", "1.0");
        });
        return headers;
    }
}
