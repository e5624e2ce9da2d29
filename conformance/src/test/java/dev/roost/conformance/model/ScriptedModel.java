package dev.roost.conformance.model;

import static dev.roost.conformance.model.JsonObjects.object;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.roost.conformance.model.ModelRequest.Tool;
import dev.roost.conformance.model.ModelTurn.ToolCall;
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

/** A model on loopback that follows the {@link ModelScript} in its prompt, in the dialect of the request. */
public final class ScriptedModel implements AutoCloseable {

    private static final List<ModelDialect> DIALECTS =
            List.of(new AnthropicDialect(), new OpenAiChatDialect(), new OpenAiResponsesDialect(), new GeminiDialect());
    private static final Set<String> SECRET = Set.of("authorization", "x-api-key", "x-goog-api-key", "cookie");

    private final HttpServer server;
    private final TokenUsage usual;
    private final List<RequestRecord> asked = new CopyOnWriteArrayList<>();
    private final Set<String> happened = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);

    private ScriptedModel(int port, TokenUsage usual) throws IOException {
        System.setProperty("sun.net.httpserver.nodelay", "true"); // otherwise every answer takes 40 ms
        this.usual = usual;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::handle);
        server.start();
    }

    public static ScriptedModel start() throws IOException {
        return start(TokenUsage.USUAL);
    }

    static ScriptedModel start(TokenUsage usual) throws IOException {
        return new ScriptedModel(0, usual);
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** Without a path, because each CLI appends its own. */
    public String address() {
        return "http://127.0.0.1:" + port();
    }

    /** All requests for an answer so far, in order. */
    public List<RequestRecord> asked() {
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
                answer(exchange, path, dialect.get(), JsonObjects.MAPPER.readTree(body));
            } else {
                aside(new ModelHttpReply(exchange), exchange.getRequestMethod(), path);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void answer(HttpExchange exchange, String path, ModelDialect modelDialect, JsonNode body)
            throws IOException, InterruptedException {
        var modelRequest = modelDialect.read(body);
        var written = next(modelRequest);
        var model = body.path("model").asString(path.replaceFirst(".*/models/([^:]+):.*", "$1"));
        asked.add(new RequestRecord(path, model, modelRequest, headers(exchange), body, written.scriptStep()));
        Thread.sleep(written.thought());
        boolean streaming = modelDialect.streams(path, body);
        var tokenUsage = written.usage(usual);
        var modelHttpReply = new ModelHttpReply(exchange);
        switch (written.scriptStep()) {
            case ScriptStep.Hang() -> closed.await();
            case ScriptStep.Cut() ->
                modelHttpReply.half(streaming, modelDialect, textTurn(model, "These words are cut", tokenUsage));
            case ScriptStep.Status status ->
                modelHttpReply.json(status.code(), modelDialect.errorHeaders(status), modelDialect.error(status));
            case ScriptStep.Say(var words) ->
                turn(modelHttpReply, streaming, modelDialect, textTurn(model, words, tokenUsage));
            case ScriptStep.Shell(var command) ->
                turn(
                        modelHttpReply,
                        streaming,
                        modelDialect,
                        called(
                                model,
                                modelRequest,
                                ShellToolCalls.call(modelRequest.tools(), command),
                                written.given().getOrDefault("say", ""),
                                tokenUsage));
            case ScriptStep.Call(var name, var arguments) ->
                turn(
                        modelHttpReply,
                        streaming,
                        modelDialect,
                        called(model, modelRequest, tool(modelRequest, name, arguments), "", tokenUsage));
        }
    }

    /** A request without tools is for the CLI itself, such as for a title, and not part of the script. */
    private ScriptStep.Written next(ModelRequest modelRequest) {
        if (modelRequest.tools().isEmpty()) return ScriptStep.read("A title");
        return modelRequest
                .script()
                .map(modelScript -> modelScript.after(modelRequest.turns(), name -> !happened.add(name)))
                .orElseGet(() -> ScriptStep.read("There is no script."));
    }

    private static Optional<ToolCall> tool(ModelRequest modelRequest, String name, Map<String, String> arguments) {
        var typed = object();
        arguments.forEach((key, value) -> typed.set(key, typed(value)));
        return modelRequest.tools().stream()
                .filter(tool -> tool.fullName().equals(name))
                .findFirst()
                .or(() -> modelRequest.tools().stream()
                        .filter(tool -> tool.fullName().contains(name))
                        .findFirst())
                .or(() -> behindSearch(modelRequest, name))
                .map(tool -> new ToolCall(tool, typed));
    }

    /** Codex does not list the tools of its MCP servers, but accepts a call of one. */
    private static Optional<Tool> behindSearch(ModelRequest modelRequest, String name) {
        int cut = name.lastIndexOf("__");
        boolean hidden = cut > 0
                && modelRequest.tools().stream().anyMatch(tool -> tool.name().equals("tool_search"));
        return hidden ? Optional.of(new Tool(name.substring(cut + 2), name.substring(0, cut))) : Optional.empty();
    }

    private static JsonNode typed(String value) {
        return value.matches("-?\\d{1,15}|true|false")
                ? JsonObjects.MAPPER.readTree(value)
                : JsonObjects.MAPPER.valueToTree(value);
    }

    private static ModelTurn called(
            String model, ModelRequest modelRequest, Optional<ToolCall> call, String before, TokenUsage tokenUsage) {
        if (call.isPresent()) return new ModelTurn(model, before, call, tokenUsage);
        var names = modelRequest.tools().stream().map(Tool::fullName).toList();
        return textTurn(model, "There is no such tool, only " + names, tokenUsage);
    }

    private static ModelTurn textTurn(String model, String words, TokenUsage tokenUsage) {
        return new ModelTurn(model, words, Optional.empty(), tokenUsage);
    }

    private static void turn(
            ModelHttpReply modelHttpReply, boolean streaming, ModelDialect modelDialect, ModelTurn modelTurn)
            throws IOException {
        if (streaming) modelHttpReply.stream(modelDialect, modelDialect.streamed(modelTurn));
        else modelHttpReply.json(200, Map.of(), modelDialect.whole(modelTurn));
    }

    /** Other endpoints that CLIs call. */
    private static void aside(ModelHttpReply modelHttpReply, String method, String path) throws IOException {
        if (method.equals("HEAD") || path.equals("/")) modelHttpReply.ok();
        else if (path.endsWith("/count_tokens")) modelHttpReply.json(200, Map.of(), object("input_tokens", 100));
        else if (path.endsWith(":countTokens")) modelHttpReply.json(200, Map.of(), object("totalTokens", 100));
        else if (path.endsWith("/models"))
            modelHttpReply.json(200, Map.of(), object("object", "list", "data", List.of(), "models", List.of()));
        else
            modelHttpReply.json(
                    404, Map.of(), object("error", object("message", "There is no " + path, "type", "not_found")));
    }

    private static Map<String, String> headers(HttpExchange exchange) {
        var headers = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
        exchange.getRequestHeaders()
                .forEach((name, values) -> headers.put(name, String.join(", ", new ArrayList<>(values))));
        headers.keySet().removeAll(SECRET);
        return headers;
    }

    /** For manual use: prints its address, then a line for each request. */
    public static void main(String[] arguments) throws Exception {
        var model = new ScriptedModel(arguments.length == 0 ? 0 : Integer.parseInt(arguments[0]), TokenUsage.USUAL);
        System.out.println(model.port());
        for (int seen = 0; ; ) {
            Thread.sleep(200);
            for (; seen < model.asked.size(); seen++) {
                var one = model.asked.get(seen);
                var results = one.modelRequest().toolResults();
                System.out.println(one.path() + " " + one.answer() + " <- " + one.lastUserText()
                        + (results.isEmpty() ? "" : " <- tool: " + results.getLast()));
            }
        }
    }
}
