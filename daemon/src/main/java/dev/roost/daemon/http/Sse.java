package dev.roost.daemon.http;

import dev.roost.daemon.wire.Json;
import tools.jackson.databind.JsonNode;

/** An event as it is sent: its number, by which a reader resumes, its name, and a line of JSON. */
record Sse(long id, String name, JsonNode data) {

    String text() {
        return "id: %d\nevent: %s\ndata: %s\n\n".formatted(id, name, Json.MAPPER.writeValueAsString(data));
    }
}
