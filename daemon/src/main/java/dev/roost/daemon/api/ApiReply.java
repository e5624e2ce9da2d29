package dev.roost.daemon.api;

import tools.jackson.databind.JsonNode;

/** An answer, and what to do once it has been written out to the caller. */
public record ApiReply(JsonNode json, Runnable onDelivered) {

    public ApiReply(JsonNode json) {
        this(json, () -> {});
    }
}
