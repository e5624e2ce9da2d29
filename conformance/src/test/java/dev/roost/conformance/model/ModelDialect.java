package dev.roost.conformance.model;

import dev.roost.conformance.model.ScriptStep.Status;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** How one family of models is spoken to over HTTP. */
interface ModelDialect {

    /** One server-sent event; a nameless one has an empty name. */
    record Event(String name, ObjectNode data) {}

    boolean speaks(String path);

    ModelRequest read(JsonNode request);

    default boolean streams(String path, JsonNode request) {
        return request.path("stream").asBoolean(false);
    }

    ObjectNode whole(ModelTurn modelTurn);

    List<Event> streamed(ModelTurn modelTurn);

    /** What follows the last event. */
    default String farewell() {
        return "";
    }

    ObjectNode error(Status status);

    Map<String, String> errorHeaders(Status status);
}
