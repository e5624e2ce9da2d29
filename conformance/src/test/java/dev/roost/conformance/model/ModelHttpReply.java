package dev.roost.conformance.model;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** Writes the response of one request. */
record ModelHttpReply(HttpExchange exchange) {

    /** More than any response has, so the client notices that the rest is missing. */
    private static final int NEVER_REACHED = 1_000_000;

    void json(int status, Map<String, String> headers, ObjectNode body) throws IOException {
        headers.forEach(exchange.getResponseHeaders()::set);
        send(status, "application/json", body.toString());
    }

    void stream(ModelDialect modelDialect, List<ModelDialect.Event> events) throws IOException {
        send(200, "text/event-stream", sse(events) + modelDialect.farewell());
    }

    void half(boolean streaming, ModelDialect modelDialect, ModelTurn modelTurn) throws IOException {
        var events = modelDialect.streamed(modelTurn);
        String whole = modelDialect.whole(modelTurn).toString();
        String half =
                streaming ? sse(events.subList(0, (events.size() + 1) / 2)) : whole.substring(0, whole.length() / 2);
        type(streaming ? "text/event-stream" : "application/json");
        exchange.sendResponseHeaders(200, NEVER_REACHED);
        exchange.getResponseBody().write(half.getBytes(StandardCharsets.UTF_8));
        exchange.getResponseBody().flush();
    }

    void ok() throws IOException {
        exchange.sendResponseHeaders(200, -1);
    }

    private void send(int status, String type, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        type(type);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private void type(String type) {
        exchange.getResponseHeaders().set("content-type", type);
    }

    private static String sse(List<ModelDialect.Event> events) {
        var text = new StringBuilder();
        for (var event : events) {
            if (!event.name().isEmpty())
                text.append("event: ").append(event.name()).append('\n');
            text.append("data: ").append(event.data()).append("\n\n");
        }
        return text.toString();
    }
}
