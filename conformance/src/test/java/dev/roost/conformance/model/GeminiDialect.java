package dev.roost.conformance.model;

import static dev.roost.conformance.model.JsonObjects.items;
import static dev.roost.conformance.model.JsonObjects.object;
import static dev.roost.conformance.model.JsonObjects.with;

import dev.roost.conformance.model.ModelRequest.Message;
import dev.roost.conformance.model.ModelRequest.Role;
import dev.roost.conformance.model.ModelRequest.Tool;
import dev.roost.conformance.model.ScriptStep.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code POST …:generateContent} and {@code …:streamGenerateContent}, used by Gemini CLI. */
final class GeminiDialect implements ModelDialect {

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
    public ModelRequest read(JsonNode request) {
        var messages = new ArrayList<Message>();
        for (var content : request.path("contents")) {
            if (content.path("role").asString().equals("model")) {
                messages.add(new Message(Role.MODEL, JsonObjects.text(content.path("parts"))));
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
        return new ModelRequest(messages, tools);
    }

    @Override
    public ObjectNode whole(ModelTurn modelTurn) {
        var part = modelTurn
                .call()
                .map(call -> object("functionCall", object("name", call.tool().name(), "args", call.arguments())))
                .orElseGet(() -> object("text", modelTurn.words()));
        return answer(modelTurn, part, true);
    }

    @Override
    public List<Event> streamed(ModelTurn modelTurn) {
        if (modelTurn.saysBeforeItCalls())
            return List.of(
                    new Event("", answer(modelTurn, object("text", modelTurn.words()), false)),
                    new Event("", whole(modelTurn)));
        if (modelTurn.call().isPresent()) return List.of(new Event("", whole(modelTurn)));
        return List.of(
                new Event("", answer(modelTurn, object("text", modelTurn.words()), false)),
                new Event("", answer(modelTurn, object("text", ""), true)));
    }

    private static ObjectNode answer(ModelTurn modelTurn, ObjectNode part, boolean last) {
        var candidate = object("index", 0, "content", object("role", "model", "parts", List.of(part)));
        if (last) candidate = with(candidate, "finishReason", "STOP");
        var usage = object(
                "promptTokenCount", modelTurn.tokenUsage().input(),
                "candidatesTokenCount", modelTurn.tokenUsage().output(),
                "totalTokenCount", modelTurn.tokenUsage().total());
        return object("candidates", List.of(candidate), "usageMetadata", usage, "modelVersion", modelTurn.model());
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
