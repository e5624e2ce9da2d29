package dev.roost.cli.view;

import tools.jackson.databind.JsonNode;

/** How much a run needs the user's attention, most urgent first. */
public enum RunUrgency {
    ASKS,
    DIED,
    RUNNING,
    QUEUED,
    REST;

    public static RunUrgency of(JsonNode run) {
        if (run.has("question") && !run.has("ended_at")) return ASKS;
        return switch (run.path("status").asString()) {
            case "running" -> RUNNING;
            case "queued" -> QUEUED;
            case "failed", "abandoned" -> run.path("unread").asBoolean() ? DIED : REST;
            default -> REST;
        };
    }
}
