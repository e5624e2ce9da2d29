package dev.roost.daemon.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsExchange;
import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import dev.roost.daemon.api.RunJson;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** One HTTP request and its answer. */
public final class WebRequest implements AutoCloseable {

    private static final int MOST_BYTES = 8 << 20;
    private static final int NO_BODY = -1;

    private final HttpExchange exchange;
    private final StalledClientGuard stallGuard;
    private boolean answered;
    private BooleanSupplier sessionCheck = () -> true;

    public WebRequest(HttpExchange exchange, StalledClientGuard stallGuard) {
        this.exchange = exchange;
        this.stallGuard = stallGuard;
    }

    public String method() {
        return exchange.getRequestMethod();
    }

    /** Sets the check that a stream of this request repeats: it may be open for days, and its token may be revoked. */
    public void revalidateWith(BooleanSupplier by) {
        this.sessionCheck = by;
    }

    /** Whether the method is HEAD: the status and headers of a GET, without its body. */
    public boolean isHead() {
        return method().equals("HEAD");
    }

    /** The path as it was sent, not decoded. */
    public String rawPath() {
        return Optional.ofNullable(exchange.getRequestURI().getRawPath()).orElse("");
    }

    public String path() {
        return Optional.ofNullable(exchange.getRequestURI().getPath()).orElse("");
    }

    /** All headers of this name. */
    public List<String> headers(String name) {
        return Optional.ofNullable(exchange.getRequestHeaders().get(name)).orElse(List.of());
    }

    public Optional<String> header(String name) {
        return headers(name).stream()
                .map(String::strip)
                .filter(value -> !value.isEmpty())
                .findFirst();
    }

    public Optional<String> query(String name) {
        return Optional.ofNullable(queries().get(name));
    }

    public Optional<String> cookie(String name) {
        return headers("Cookie").stream()
                .flatMap(header -> Arrays.stream(header.split(";", -1)))
                .map(String::strip)
                .filter(pair -> pair.startsWith(name + "="))
                .map(pair -> pair.substring(name.length() + 1))
                .findFirst();
    }

    /** Whether the client takes a stream of events as the answer. */
    public boolean takesEvents() {
        return String.join(",", headers("Accept")).contains("text/event-stream");
    }

    /** Sets a header of the answer. */
    public void put(String name, String value) {
        exchange.getResponseHeaders().set(name, value);
    }

    public int port() {
        return exchange.getLocalAddress().getPort();
    }

    public boolean isSecure() {
        return exchange instanceof HttpsExchange;
    }

    /** Whether the browser marks the request as sent by a page. {@link Authenticator} has checked the origin before. */
    public boolean isSameOrigin() {
        return !headers("Origin").isEmpty() || header("Sec-Fetch-Site").equals(Optional.of("same-origin"));
    }

    /** All fields of the query; refuses repeated names. */
    public Map<String, String> queries() {
        return fields(
                Optional.ofNullable(exchange.getRequestURI().getRawQuery()).orElse(""));
    }

    /** Parses the fields of a query or of a form; refuses repeated names. */
    public static Map<String, String> fields(String encoded) {
        var fields = new LinkedHashMap<String, String>();
        for (var pair : encoded.split("&", -1)) {
            if (pair.isEmpty()) continue;
            var nameAndValue = pair.split("=", 2);
            var value = nameAndValue.length > 1 ? decoded(nameAndValue[1]) : "";
            if (fields.put(decoded(nameAndValue[0]), value) != null) {
                throw ErrorCode.REPEATED_FIELD.error("The request has a field more than once.");
            }
        }
        return fields;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw ErrorCode.BAD_FORM.error("A field is not encoded correctly.");
        }
    }

    /** Refuses all other methods. */
    public void only(String... methods) {
        if (List.of(methods).contains(exchange.getRequestMethod())) return;
        var allowed = String.join(", ", methods);
        throw new HttpError(
                ErrorCode.BAD_METHOD.error("This address does not take this method.", "Use %s.".formatted(allowed)),
                Map.of("Allow", allowed));
    }

    public byte[] body() throws IOException {
        var length = header("Content-Length").filter(text -> text.matches("\\d{1,18}"));
        if (length.filter(text -> Long.parseLong(text) > MOST_BYTES).isPresent()) throw tooLarge();
        var bytes = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
        if (bytes.length > MOST_BYTES) throw tooLarge();
        return bytes;
    }

    private static HttpError tooLarge() {
        return new HttpError(
                ErrorCode.BODY_TOO_LARGE.error("A request has at most %d MiB.".formatted(MOST_BYTES >> 20)),
                Map.of("Connection", "close"));
    }

    /** The body: a JSON object or array. */
    public JsonNode json() throws IOException {
        return json(body());
    }

    private static JsonNode json(byte[] body) {
        try {
            var json = RunJson.MAPPER.readTree(body);
            if (json.isObject() || json.isArray()) return json;
        } catch (JacksonException e) {
            // reported below
        }
        throw noObject();
    }

    /** Parses a body that is a JSON object. */
    public static ObjectNode object(byte[] body) {
        if (json(body) instanceof ObjectNode object) return object;
        throw noObject();
    }

    private static RoostError noObject() {
        return ErrorCode.BAD_JSON.error("The body is not a JSON object.");
    }

    /** Answers, and then runs {@code afterwards}; skips it if the client disconnected before the answer was written. */
    public void answer(int status, JsonNode json, Runnable afterwards) throws IOException {
        answer(status, "application/json", RunJson.MAPPER.writeValueAsBytes(json));
        afterwards.run();
    }

    public void answer(int status, String type, byte[] bytes) throws IOException {
        answered = true;
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.getResponseHeaders().putIfAbsent("Cache-Control", List.of("no-store"));
        boolean empty = isHead() || bytes.length == 0;
        exchange.sendResponseHeaders(status, empty ? NO_BODY : bytes.length);
        if (empty) return;
        var out = stallGuard.watched(exchange.getResponseBody());
        out.flush(); // a write to a disconnected client fails only the second time
        out.write(bytes);
        out.flush();
    }

    public void answer(HttpError error) throws IOException {
        if (answered) return;
        error.headers().forEach(exchange.getResponseHeaders()::set);
        var json = RunJson.MAPPER.createObjectNode();
        json.set("error", RunJson.error(error.why()));
        answer(error.status(), json, () -> {});
    }

    /** Answers 202 without a body. */
    public void answerAccepted() throws IOException {
        answered = true;
        exchange.sendResponseHeaders(202, NO_BODY);
    }

    public SseStream events() throws IOException {
        answered = true;
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.sendResponseHeaders(200, 0);
        return new SseStream(stallGuard.watched(exchange.getResponseBody()), sessionCheck, stallGuard.clock());
    }

    @Override
    public void close() {
        stallGuard.interruptStuckWrites(exchange::close);
    }
}
