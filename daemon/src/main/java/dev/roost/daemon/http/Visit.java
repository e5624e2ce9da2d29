package dev.roost.daemon.http;

import com.sun.net.httpserver.HttpExchange;
import dev.roost.daemon.wire.Json;
import dev.roost.run.BadInput;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** One request, and the way to answer it. */
final class Visit implements AutoCloseable {

    private static final int MOST_BYTES = 8 << 20;
    private static final int NO_BODY = -1;

    private final HttpExchange exchange;
    private final Patience patience;
    private boolean answered;

    Visit(HttpExchange exchange, Patience patience) {
        this.exchange = exchange;
        this.patience = patience;
    }

    String method() {
        return exchange.getRequestMethod();
    }

    /** Wants to know what a GET would say, and not what it says. */
    boolean isHead() {
        return method().equals("HEAD");
    }

    /** As it was sent. */
    String rawPath() {
        return Optional.ofNullable(exchange.getRequestURI().getRawPath()).orElse("");
    }

    String path() {
        return Optional.ofNullable(exchange.getRequestURI().getPath()).orElse("");
    }

    /** All headers of this name. */
    List<String> headers(String name) {
        return Optional.ofNullable(exchange.getRequestHeaders().get(name)).orElse(List.of());
    }

    Optional<String> header(String name) {
        return headers(name).stream()
                .map(String::strip)
                .filter(value -> !value.isEmpty())
                .findFirst();
    }

    Optional<String> query(String name) {
        var query = Optional.ofNullable(exchange.getRequestURI().getRawQuery()).orElse("");
        for (var pair : query.split("&", -1)) {
            if (pair.startsWith(name + "="))
                return Optional.of(URLDecoder.decode(pair.substring(name.length() + 1), StandardCharsets.UTF_8));
        }
        return Optional.empty();
    }

    /** All that the address says after its question mark; each name once. */
    Map<String, String> queries() {
        var query = Optional.ofNullable(exchange.getRequestURI().getRawQuery()).orElse("");
        var said = new LinkedHashMap<String, String>();
        for (var pair : query.split("&", -1)) {
            if (pair.isEmpty()) continue;
            var words = pair.split("=", 2);
            var name = URLDecoder.decode(words[0], StandardCharsets.UTF_8);
            var value = words.length > 1 ? URLDecoder.decode(words[1], StandardCharsets.UTF_8) : "";
            if (said.put(name, value) != null) {
                throw new BadInput("repeated_field", "A field is in the address more than once.", "Say it once.");
            }
        }
        return said;
    }

    /** Says it with the answer. */
    void set(String header, String value) {
        exchange.getResponseHeaders().set(header, value);
    }

    /** Refuses every other method. */
    void only(String... methods) {
        if (List.of(methods).contains(exchange.getRequestMethod())) return;
        var allowed = String.join(", ", methods);
        throw new Rejected(
                405,
                new BadInput(
                        "bad_method", "%s does not take this method.".formatted(path()), "Use %s.".formatted(allowed)),
                Map.of("Allow", allowed));
    }

    byte[] body() throws IOException {
        var length = header("Content-Length").filter(text -> text.matches("\\d{1,18}"));
        if (length.filter(text -> Long.parseLong(text) > MOST_BYTES).isPresent()) throw tooLarge();
        var bytes = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
        if (bytes.length > MOST_BYTES) throw tooLarge();
        return bytes;
    }

    private static Rejected tooLarge() {
        return new Rejected(
                413,
                new BadInput(
                        "body_too_large", "A request has at most %d MiB.".formatted(MOST_BYTES >> 20), "Send less."),
                Map.of("Connection", "close"));
    }

    JsonNode json() throws IOException {
        try {
            var json = Json.MAPPER.readTree(body());
            if (json.isObject() || json.isArray()) return json;
        } catch (JacksonException e) {
            // said below
        }
        throw new BadInput("bad_json", "The body is not a JSON object.", "Send one, in UTF-8.");
    }

    /** Answers, and only then does {@code afterwards}; whoever went before the answer was written has not been told. */
    void answer(int status, JsonNode json, Runnable afterwards) throws IOException {
        answer(status, "application/json", Json.MAPPER.writeValueAsBytes(json));
        afterwards.run();
    }

    void answer(int status, String type, byte[] bytes) throws IOException {
        answered = true;
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        boolean empty = isHead() || bytes.length == 0;
        exchange.sendResponseHeaders(status, empty ? NO_BODY : bytes.length);
        if (empty) return;
        var out = patience.watched(exchange.getResponseBody());
        out.flush(); // to one who is gone the first write succeeds and the second fails
        out.write(bytes);
        out.flush();
    }

    void answer(Rejected error) throws IOException {
        if (answered) return;
        error.headers().forEach(exchange.getResponseHeaders()::set);
        var json = Json.MAPPER.createObjectNode();
        json.set("error", Json.error(error.why()));
        answer(error.status(), json, () -> {});
    }

    /** Taken in, and nothing to say. */
    void accepted() throws IOException {
        answered = true;
        exchange.sendResponseHeaders(202, NO_BODY);
    }

    EventStream events() throws IOException {
        answered = true;
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.sendResponseHeaders(200, 0);
        return new EventStream(patience.watched(exchange.getResponseBody()));
    }

    @Override
    public void close() {
        exchange.close();
    }
}
