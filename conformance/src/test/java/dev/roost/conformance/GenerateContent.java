package dev.roost.conformance;

import static dev.roost.conformance.Json.items;
import static dev.roost.conformance.Json.object;
import static dev.roost.conformance.Json.with;

import dev.roost.conformance.Conversation.Message;
import dev.roost.conformance.Conversation.Role;
import dev.roost.conformance.Conversation.Tool;
import dev.roost.conformance.Step.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code POST …:generateContent} and {@code …:streamGenerateContent}, spoken by Gemini CLI. */
final class GenerateContent implements Dialect {

    @Override
    public boolean speaks(String path) {
        return path.endsWith(":generateContent") || streams(path);
    }

    @Override
    public boolean streams(String path, JsonNode request) {
        return streams(path);
    }

    private static boolean streams(String path) {
        return path.endsWith(":streamGenerateContent");
    }

    @Override
    public Conversation read(JsonNode request) {
        var messages = new ArrayList<Message>();
        for (var content : request.path("contents")) {
            if (content.path("role").asString().equals("model")) {
                messages.add(new Message(Role.MODEL, Json.text(content.path("parts"))));
                continue;
            }
            for (var part : content.path("parts")) {
                var result = part.path("functionResponse").path("response");
                messages.add(
                        result.isMissingNode()
                                ? new Message(Role.USER, part.path("text").asString(""))
                                : new Message(Role.TOOL, result.toString()));
            }
        }
        var tools = items(request.path("tools")).stream()
                .flatMap(tool -> items(tool.path("functionDeclarations")).stream())
                .map(tool -> new Tool(tool.path("name").asString()))
                .toList();
        return new Conversation(messages, tools);
    }

    @Override
    public ObjectNode whole(Turn turn) {
        var part = turn.call()
                .map(call -> object("functionCall", object("name", call.tool().name(), "args", call.arguments())))
                .orElseGet(() -> object("text", turn.words()));
        return answer(turn, part, true);
    }

    @Override
    public List<Event> streamed(Turn turn) {
        if (turn.saysBeforeItCalls())
            return List.of(
                    new Event("", answer(turn, object("text", turn.words()), false)), new Event("", whole(turn)));
        if (turn.call().isPresent()) return List.of(new Event("", whole(turn)));
        return List.of(
                new Event("", answer(turn, object("text", turn.words()), false)),
                new Event("", answer(turn, object("text", ""), true)));
    }

    private static ObjectNode answer(Turn turn, ObjectNode part, boolean last) {
        var candidate = object("index", 0, "content", object("role", "model", "parts", List.of(part)));
        if (last) candidate = with(candidate, "finishReason", "STOP");
        var usage = object(
                "promptTokenCount", turn.usage().input(),
                "candidatesTokenCount", turn.usage().output(),
                "totalTokenCount", turn.usage().total());
        return object("candidates", List.of(candidate), "usageMetadata", usage, "modelVersion", turn.model());
    }

    @Override
    public ObjectNode error(Status status) {
        String name = switch (status.code()) {
            case 401 -> "UNAUTHENTICATED";
            case 429 -> "RESOURCE_EXHAUSTED";
            default -> "INTERNAL";
        };
        var error = object("code", status.code(), "message", "scripted " + status.code(), "status", name);
        return object(
                "error",
                status.reset()
                        .map(seconds -> with(
                                error,
                                "details",
                                List.of(object(
                                        "@type",
                                        "type.googleapis.com/google.rpc.RetryInfo",
                                        "retryDelay",
                                        seconds + "s"))))
                        .orElse(error));
    }

    @Override
    public Map<String, String> errorHeaders(Status status) {
        return Map.of();
    }
}
