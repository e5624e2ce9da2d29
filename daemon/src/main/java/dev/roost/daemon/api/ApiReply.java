package dev.roost.daemon.api;

import tools.jackson.databind.JsonNode;

/** An answer, and the action to run once it has been written to the caller. */
public record ApiReply(JsonNode json, Runnable onDelivered) {

    public ApiReply(JsonNode json) {
        this(json, () -> {});
    }
}
