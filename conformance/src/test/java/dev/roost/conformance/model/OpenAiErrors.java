package dev.roost.conformance.model;

import static dev.roost.conformance.model.JsonObjects.object;
import static dev.roost.conformance.model.JsonObjects.with;

import dev.roost.conformance.model.ScriptStep.Status;
import java.time.Instant;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** The error responses of both OpenAI dialects. */
final class OpenAiErrors {

    private OpenAiErrors() {}

    static ObjectNode body(Status status) {
        String type = switch (status.code()) {
            case 401 -> "invalid_api_key";
            case 429 -> status.plan() ? "usage_limit_reached" : "rate_limit_exceeded";
            default -> "server_error";
        };
        var error = object("message", "scripted " + status.code(), "type", type, "code", type);
        if (status.plan()) error = with(error, "plan_type", "plus");
        if (status.plan() && status.reset().isPresent()) {
            int seconds = status.reset().get();
            error = with(error, "resets_at", Instant.now().getEpochSecond() + seconds, "resets_in_seconds", seconds);
        }
        return object("error", error);
    }

    static Map<String, String> headers(Status status) {
        return status.reset()
                .map(seconds -> Map.of("retry-after", seconds.toString(), "x-ratelimit-reset-requests", seconds + "s"))
                .orElse(Map.of());
    }
}
