package dev.roost.daemon.socket;

import dev.roost.base.BadInput;
import dev.roost.base.Broken;
import dev.roost.base.ErrorCode;
import dev.roost.base.NoSuchRun;
import dev.roost.base.Refusal;
import dev.roost.base.RoostError;
import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.LineConnection;
import dev.roost.daemon.api.RequestBacklog;
import dev.roost.daemon.api.RunJson;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Phaser;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** One client of the socket. Each line is a request, answered by a thread of its own, so a blocked one delays no other. */
final class SocketConnection {

    private static final System.Logger LOG = System.getLogger(SocketConnection.class.getName());
    private static final int INVALID_REQUEST = -32600;
    private static final int PARSE_ERROR = -32700;

    private final LineConnection lines;
    private final RpcMethods methods;
    private final Map<String, LineConnection.Upgrade> upgrades;
    private final ExecutorService threads;
    private final Phaser outstanding = new Phaser(1);
    private final RequestBacklog requestBacklog = new RequestBacklog();

    SocketConnection(
            SocketChannel channel,
            RpcMethods methods,
            Map<String, LineConnection.Upgrade> upgrades,
            ExecutorService threads) {
        this.lines = new LineConnection(channel);
        this.methods = methods;
        this.upgrades = upgrades;
        this.threads = threads;
    }

    void serve() throws IOException {
        try {
            var first = lines.next();
            var upgrade = first == null ? Optional.<Runnable>empty() : upgrade(first);
            if (upgrade.isPresent()) {
                upgrade.get().run();
                return;
            }
            for (var line = first; line != null; line = lines.next()) {
                var request = line;
                if (request.isBlank()) continue;
                outstanding.register();
                requestBacklog.execute(threads, request, () -> {
                    try {
                        answer(request);
                    } finally {
                        outstanding.arriveAndDeregister();
                    }
                });
            }
        } catch (LineConnection.TooLong e) {
            var error = ErrorCode.LINE_TOO_LONG.error("A request has at most 8 MiB.");
            lines.send(failure(null, INVALID_REQUEST, error));
        } catch (InterruptedException e) {
            return; // the daemon is stopping
        }
        outstanding.arriveAndAwaitAdvance(); // the client may still read answers after its last request
    }

    /** The protocol that the first line asks to switch to. */
    private Optional<Runnable> upgrade(String line) {
        if (upgrades.keySet().stream().noneMatch(line::contains)) return Optional.empty();
        try {
            var request = RunJson.MAPPER.readTree(line);
            return Optional.ofNullable(upgrades.get(request.path("method").asString("")))
                    .map(protocol -> () -> {
                        try {
                            protocol.serve(request.get("params"), lines);
                        } catch (IOException e) {
                            LOG.log(System.Logger.Level.DEBUG, "a client disconnected", e);
                        } catch (RoostError e) {
                            sendQuietly(failure(request.get("id"), number(e), e));
                        } catch (RuntimeException e) {
                            sendInternalError(request.get("id"), e);
                        }
                    });
        } catch (JacksonException e) {
            return Optional.empty(); // answered like other lines
        }
    }

    private void answer(String line) {
        JsonNode id = null;
        try {
            JsonNode request;
            try {
                request = RunJson.MAPPER.readTree(line);
            } catch (JacksonException e) {
                lines.send(failure(
                        null,
                        PARSE_ERROR,
                        ErrorCode.BAD_JSON.error("The line is not JSON.", "Send one JSON object a line.")));
                return;
            }
            id = request.get("id");
            var method = request.get("method");
            if (method == null || !method.isString()) {
                var error = ErrorCode.BAD_REQUEST.error("The request names no method.");
                lines.send(failure(id, INVALID_REQUEST, error));
                return;
            }
            var reply = methods.call(method.asString(), request.get("params"));
            var answer = RunJson.MAPPER.createObjectNode().put("jsonrpc", "2.0");
            answer.set("id", id);
            answer.set("result", reply.json());
            lines.send(RunJson.MAPPER.writeValueAsString(answer));
            runOnDelivered(reply);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a client disconnected before its answer", e);
        } catch (RoostError e) {
            sendQuietly(failure(id, number(e), e));
        } catch (Throwable e) { // a waiting client needs an answer after every failure
            sendInternalError(id, e);
        }
    }

    private void sendInternalError(@Nullable JsonNode id, Throwable e) {
        if (Thread.currentThread().isInterrupted()) {
            LOG.log(System.Logger.Level.DEBUG, "the daemon stopped before an answer", e);
            return;
        }
        LOG.log(System.Logger.Level.ERROR, "a request failed", e);
        var error = ErrorCode.INTERNAL.error("Roost made a mistake.");
        sendQuietly(failure(id, number(error), error));
    }

    /** Runs the reply's action, since the answer has been written to the caller. */
    private static void runOnDelivered(ApiReply reply) {
        try {
            reply.onDelivered().run();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "the action after an answer failed", e);
        }
    }

    /** JSON-RPC needs a number: one for each kind of error, by which a client chooses its exit code. */
    private static int number(RoostError error) {
        return switch (error) {
            case BadInput _ -> -32602;
            case NoSuchRun _ -> -32001;
            case Refusal _ -> -32002;
            case Broken _ -> -32003;
        };
    }

    private static String failure(@Nullable JsonNode id, int code, RoostError error) {
        var answer = RunJson.MAPPER.createObjectNode().put("jsonrpc", "2.0");
        answer.set("id", id);
        var shape = answer.putObject("error");
        shape.put("code", code).put("message", error.sentence()).set("data", RunJson.error(error));
        return RunJson.MAPPER.writeValueAsString(answer);
    }

    private void sendQuietly(String line) {
        try {
            lines.send(line);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a client disconnected before its answer", e);
        }
    }
}
