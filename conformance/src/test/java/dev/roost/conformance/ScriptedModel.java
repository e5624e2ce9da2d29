package dev.roost.conformance;

import static dev.roost.conformance.Json.object;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.roost.conformance.Conversation.Tool;
import dev.roost.conformance.Turn.ToolCall;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import tools.jackson.databind.JsonNode;

/** A model on loopback that does what the {@link Script} in its prompt says, in the dialect it is spoken to. */
final class ScriptedModel implements AutoCloseable {

    private static final List<Dialect> DIALECTS =
            List.of(new AnthropicMessages(), new ChatCompletions(), new Responses(), new GenerateContent());
    private static final Set<String> SECRET = Set.of("authorization", "x-api-key", "x-goog-api-key", "cookie");

    private final HttpServer server;
    private final Usage usual;
    private final List<Asked> asked = new CopyOnWriteArrayList<>();
    private final Set<String> happened = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);

    private ScriptedModel(int port, Usage usual) throws IOException {
        System.setProperty("sun.net.httpserver.nodelay", "true"); // else every answer takes 40 ms
        this.usual = usual;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::handle);
        server.start();
    }

    static ScriptedModel start() throws IOException {
        return start(Usage.USUAL);
    }

    static ScriptedModel start(Usage usual) throws IOException {
        return new ScriptedModel(0, usual);
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** Without a path: each CLI adds its own. */
    String address() {
        return "http://127.0.0.1:" + port();
    }

    /** Every request for an answer so far, in the order they came. */
    List<Asked> asked() {
        return List.copyOf(asked);
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            byte[] body = exchange.getRequestBody().readAllBytes();
            var dialect = DIALECTS.stream().filter(one -> one.speaks(path)).findFirst();
            if (dialect.isPresent() && body.length > 0) {
                answer(exchange, path, dialect.get(), Json.MAPPER.readTree(body));
            } else {
                aside(new Reply(exchange), exchange.getRequestMethod(), path);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void answer(HttpExchange exchange, String path, Dialect dialect, JsonNode body)
            throws IOException, InterruptedException {
        var conversation = dialect.read(body);
        var written = next(conversation);
        var model = body.path("model").asString(path.replaceFirst(".*/models/([^:]+):.*", "$1"));
        asked.add(new Asked(path, model, conversation, headers(exchange), body, written.step()));
        Thread.sleep(written.thought());
        boolean streaming = dialect.streams(path, body);
        var usage = written.usage(usual);
        var reply = new Reply(exchange);
        switch (written.step()) {
            case Step.Hang() -> closed.await();
            case Step.Cut() -> reply.half(streaming, dialect, said(model, "These words are cut", usage));
            case Step.Status status -> reply.json(status.code(), dialect.errorHeaders(status), dialect.error(status));
            case Step.Say(var words) -> turn(reply, streaming, dialect, said(model, words, usage));
            case Step.Shell(var command) ->
                turn(
                        reply,
                        streaming,
                        dialect,
                        called(
                                model,
                                conversation,
                                Shells.call(conversation.tools(), command),
                                written.given().getOrDefault("say", ""),
                                usage));
            case Step.Call(var name, var arguments) ->
                turn(
                        reply,
                        streaming,
                        dialect,
                        called(model, conversation, tool(conversation, name, arguments), "", usage));
        }
    }

    /** A request without tools is a CLI's own errand (a title, say), not part of the script. */
    private Step.Written next(Conversation conversation) {
        if (conversation.tools().isEmpty()) return Step.read("A title");
        return conversation
                .script()
                .map(script -> script.after(conversation.turns(), name -> !happened.add(name)))
                .orElseGet(() -> Step.read("There is no script."));
    }

    private static Optional<ToolCall> tool(Conversation conversation, String name, Map<String, String> arguments) {
        var typed = object();
        arguments.forEach((key, value) -> typed.set(key, typed(value)));
        return conversation.tools().stream()
                .filter(tool -> tool.fullName().equals(name))
                .findFirst()
                .or(() -> conversation.tools().stream()
                        .filter(tool -> tool.fullName().contains(name))
                        .findFirst())
                .or(() -> behindSearch(conversation, name))
                .map(tool -> new ToolCall(tool, typed));
    }

    /** Codex keeps the tools of its servers out of sight, but takes a call of one. */
    private static Optional<Tool> behindSearch(Conversation conversation, String name) {
        int cut = name.lastIndexOf("__");
        boolean hidden = cut > 0
                && conversation.tools().stream().anyMatch(tool -> tool.name().equals("tool_search"));
        return hidden ? Optional.of(new Tool(name.substring(cut + 2), name.substring(0, cut))) : Optional.empty();
    }

    private static JsonNode typed(String value) {
        return value.matches("-?\\d{1,15}|true|false") ? Json.MAPPER.readTree(value) : Json.MAPPER.valueToTree(value);
    }

    private static Turn called(
            String model, Conversation conversation, Optional<ToolCall> call, String before, Usage usage) {
        if (call.isPresent()) return new Turn(model, before, call, usage);
        var names = conversation.tools().stream().map(Tool::fullName).toList();
        return said(model, "There is no such tool, only " + names, usage);
    }

    private static Turn said(String model, String words, Usage usage) {
        return new Turn(model, words, Optional.empty(), usage);
    }

    private static void turn(Reply reply, boolean streaming, Dialect dialect, Turn turn) throws IOException {
        if (streaming) reply.stream(dialect, dialect.streamed(turn));
        else reply.json(200, Map.of(), dialect.whole(turn));
    }

    /** What CLIs ask beside. */
    private static void aside(Reply reply, String method, String path) throws IOException {
        if (method.equals("HEAD") || path.equals("/")) reply.ok();
        else if (path.endsWith("/count_tokens")) reply.json(200, Map.of(), object("input_tokens", 100));
        else if (path.endsWith(":countTokens")) reply.json(200, Map.of(), object("totalTokens", 100));
        else if (path.endsWith("/models"))
            reply.json(200, Map.of(), object("object", "list", "data", List.of(), "models", List.of()));
        else reply.json(404, Map.of(), object("error", object("message", "There is no " + path, "type", "not_found")));
    }

    private static Map<String, String> headers(HttpExchange exchange) {
        var headers = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
        exchange.getRequestHeaders()
                .forEach((name, values) -> headers.put(name, String.join(", ", new ArrayList<>(values))));
        headers.keySet().removeAll(SECRET);
        return headers;
    }

    /** For use by hand: prints its address, then a line for each request, until it is ended. */
    public static void main(String[] arguments) throws Exception {
        var model = new ScriptedModel(arguments.length == 0 ? 0 : Integer.parseInt(arguments[0]), Usage.USUAL);
        System.out.println(model.port());
        for (int seen = 0; ; ) {
            Thread.sleep(200);
            for (; seen < model.asked.size(); seen++) {
                var one = model.asked.get(seen);
                var results = one.conversation().toolResults();
                System.out.println(one.path() + " " + one.answer() + " <- " + one.lastUserText()
                        + (results.isEmpty() ? "" : " <- tool: " + results.getLast()));
            }
        }
    }
}
