package dev.roost.daemon.http;

import dev.roost.daemon.api.RunJson;
import tools.jackson.databind.JsonNode;

/** A server-sent event: its number, after which a reader resumes, its name, and a line of JSON. */
public record SseEvent(long id, String name, JsonNode data) {

    public String text() {
        return "id: %d\nevent: %s\ndata: %s\n\n".formatted(id, name, RunJson.MAPPER.writeValueAsString(data));
    }
}
