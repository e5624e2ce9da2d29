package dev.roost.daemon.mcp;

import dev.roost.base.BadInput;
import dev.roost.base.ErrorCode;
import dev.roost.base.NoSuchRun;
import dev.roost.base.RoostError;
import dev.roost.base.TextFormat;
import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.RunJson;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Answers requests of the Model Context Protocol. It keeps no state between requests, so a restart loses nothing. */
public final class McpServer {

    private static final System.Logger LOG = System.getLogger(McpServer.class.getName());
    private static final int INVALID_REQUEST = -32600;
    private static final int METHOD_NOT_FOUND = -32601;
    private static final int INVALID_PARAMS = -32602;

    /** OpenCode's plugin sets this field to its session, and overwrites a value from the model. */
    private static final String PLUGIN_FIELD = "_session";

    /** Supported revisions, newest first. */
    private static final List<String> REVISIONS = List.of("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05");

    private final ToolOperations operations;
    private final String version;

    public McpServer(ToolOperations operations, String version) {
        this.operations = operations;
        this.version = version;
    }

    static boolean speaks(String revision) {
        return REVISIONS.contains(revision);
    }

    /** Sends messages to the client. */
    interface McpSink {
        void send(ObjectNode message) throws IOException;
    }

    /** Empty for a message without an answer. Throws InterruptedException if the client canceled the call or disconnected. */
    Optional<ApiReply> answer(JsonNode message, ToolClient client, Dialect dialect, McpSink wire)
            throws InterruptedException {
        if (!message.isObject()) return invalid(null);
        var id = message.get("id");
        String method =
                message.path("method").isString() ? message.path("method").asString() : "";
        boolean isAnswer = message.has("result") || message.has("error");
        if (id == null || id.isNull() || (method.isEmpty() && isAnswer)) return Optional.empty();
        if (method.isEmpty()) return invalid(id);
        return switch (method) {
            case "initialize" -> reply(id, initialize(message.path("params"), dialect));
            case "ping" -> reply(id, RunJson.MAPPER.createObjectNode());
            case "tools/list" -> {
                var tools = RunJson.MAPPER.createObjectNode();
                tools.set("tools", dialect.list());
                yield reply(id, tools);
            }
            case "tools/call" -> Optional.of(call(id, message.path("params"), client, dialect, wire));
            default ->
                Optional.of(new ApiReply(
                        error(id, METHOD_NOT_FOUND, "There is no method " + TextFormat.printable(method))));
        };
    }

    /** Refuses an invalid request, such as a batch, which only one revision of the protocol had. */
    private static Optional<ApiReply> invalid(@Nullable JsonNode id) {
        return Optional.of(new ApiReply(error(id, INVALID_REQUEST, "Send one request at a time, with its method.")));
    }

    private static Optional<ApiReply> reply(JsonNode id, ObjectNode result) {
        return Optional.of(new ApiReply(result(id, result)));
    }

    private ObjectNode initialize(JsonNode params, Dialect dialect) {
        String asked = params.path("protocolVersion").asString("");
        var result = RunJson.MAPPER.createObjectNode();
        result.put("protocolVersion", REVISIONS.contains(asked) ? asked : REVISIONS.getFirst());
        result.putObject("capabilities").putObject("tools").put("listChanged", false);
        result.putObject("serverInfo")
                .put("name", "roost")
                .put("title", "Roost")
                .put("version", version);
        return result.put("instructions", dialect.instructions());
    }

    private ApiReply call(JsonNode id, JsonNode params, ToolClient client, Dialect dialect, McpSink wire)
            throws InterruptedException {
        var arguments = params.path("arguments");
        var progress = new ProgressReporter(params.path("_meta").get("progressToken"), wire);
        try {
            boolean plugin = client.harness().equals("opencode");
            var invocation =
                    dialect.read(params.path("name").asString(""), arguments, plugin ? Set.of(PLUGIN_FIELD) : Set.of());
            // only from harnesses that set the field themselves: elsewhere a model could name a foreign session
            var session = switch (client.harness()) {
                case "opencode" -> arguments.path(PLUGIN_FIELD).asStringOpt();
                case "codex" -> params.path("_meta").path("threadId").asStringOpt();
                default -> Optional.<String>empty();
            };
            var call = new ToolOperations.ToolCallContext(
                    client.limits(session, id.toString()), client.patience(progress.token != null), progress::report);
            var answer = operations.run(invocation, call);
            return new ApiReply(
                    result(
                            id,
                            content(
                                    dialect.translate(answer.text()) + answer.agentOutput(),
                                    dialect.translate(answer.json()),
                                    false)),
                    answer.onDelivered());
        } catch (BadInput e) {
            return ErrorCode.of(e) == ErrorCode.UNKNOWN_TOOL
                    ? new ApiReply(error(id, INVALID_PARAMS, e.sentence()))
                    : failed(id, e, dialect);
        } catch (NoSuchRun e) {
            return failed(
                    id,
                    ErrorCode.of(e)
                            .error(e.sentence(), "agent_list {\"filter\": \"all\"} lists the runs of this session."),
                    dialect);
        } catch (RoostError e) {
            return failed(id, e, dialect);
        } catch (RuntimeException e) {
            if (Thread.currentThread().isInterrupted()) throw new InterruptedException("the client disconnected");
            LOG.log(System.Logger.Level.ERROR, "a tool call failed", e);
            return failed(id, ErrorCode.INTERNAL.error("Roost made a mistake."), dialect);
        }
    }

    private static ApiReply failed(JsonNode id, RoostError error, Dialect dialect) {
        var fields = RunJson.MAPPER.createObjectNode();
        fields.set("error", dialect.translate(RunJson.error(error)));
        return new ApiReply(
                result(id, content(dialect.translate(error.sentence() + " " + error.hint()), fields, true)));
    }

    private static ObjectNode content(String text, ObjectNode fields, boolean failed) {
        var result = RunJson.MAPPER.createObjectNode();
        result.putArray("content").addObject().put("type", "text").put("text", text);
        result.set("structuredContent", fields);
        if (failed) result.put("isError", true);
        return result;
    }

    private static ObjectNode result(JsonNode id, ObjectNode result) {
        var answer = RunJson.MAPPER.createObjectNode().put("jsonrpc", "2.0");
        answer.set("id", id);
        answer.set("result", result);
        return answer;
    }

    static ObjectNode error(@Nullable JsonNode id, int code, String message) {
        var answer = RunJson.MAPPER.createObjectNode().put("jsonrpc", "2.0");
        answer.set("id", id);
        answer.putObject("error").put("code", code).put("message", message);
        return answer;
    }

    /** Reports the progress of a call, if the client passed a token for that. */
    private static final class ProgressReporter {
        private final @Nullable JsonNode token;
        private final McpSink wire;
        private int steps;

        ProgressReporter(@Nullable JsonNode token, McpSink wire) {
            this.token = token;
            this.wire = wire;
        }

        void report(String words) {
            if (token == null) return;
            var message =
                    RunJson.MAPPER.createObjectNode().put("jsonrpc", "2.0").put("method", "notifications/progress");
            var params = message.putObject("params");
            params.set("progressToken", token);
            params.put("progress", ++steps).put("message", words);
            try {
                wire.send(message);
            } catch (IOException e) {
                Thread.currentThread().interrupt(); // the client has disconnected
            }
        }
    }
}
