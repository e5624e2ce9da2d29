package dev.roost.daemon.calls;

import tools.jackson.databind.JsonNode;

/** An answer, and what to do once it has been written out to the caller. */
public record Reply(JsonNode json, Runnable afterwards) {

    public Reply(JsonNode json) {
        this(json, () -> {});
    }
}
