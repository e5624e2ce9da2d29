package dev.roost.conformance.model;

import dev.roost.conformance.model.ScriptStep.Status;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The HTTP protocol of a family of models. */
interface ModelDialect {

    /** A server-sent event; the name may be empty. */
    record Event(String name, ObjectNode data) {}

    boolean speaks(String path);

    ModelRequest read(JsonNode request);

    default boolean streams(String path, JsonNode request) {
        return request.path("stream").asBoolean(false);
    }

    ObjectNode whole(ModelTurn modelTurn);

    List<Event> streamed(ModelTurn modelTurn);

    /** The end of a stream of events. */
    default String farewell() {
        return "";
    }

    ObjectNode error(Status status);

    Map<String, String> errorHeaders(Status status);
}
