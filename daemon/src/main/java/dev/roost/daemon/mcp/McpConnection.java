package dev.roost.daemon.mcp;

import dev.roost.daemon.api.LineConnection;
import dev.roost.daemon.api.RequestBacklog;
import dev.roost.daemon.api.RunJson;
import dev.roost.model.Owner;
import dev.roost.service.RoostService;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Serves a harness behind {@code roost mcp}. The bridge confirms when it has written an answer to the harness; only then does the
 * answer count as delivered, and a run in it as read.
 */
public final class McpConnection implements LineConnection.Upgrade {

    private static final System.Logger LOG = System.getLogger(McpConnection.class.getName());
    private static final int PARSE_ERROR = -32700;
    private static final int INTERNAL_ERROR = -32603;

    private final RoostService service;
    private final McpServer server;
    private final BiConsumer<Owner, Map<String, String>> environments;

    /** {@code environments} receives the environment of each owner's harness. */
    public McpConnection(RoostService service, McpServer server, BiConsumer<Owner, Map<String, String>> environments) {
        this.service = service;
        this.server = server;
        this.environments = environments;
    }

    @Override
    public void serve(@Nullable JsonNode hello, LineConnection lines) throws IOException {
        var client = BridgeClient.of(hello, service, environments);
        var dialect = Dialect.of(
                hello == null ? Optional.empty() : hello.path("dialect").asStringOpt());
        try (var session = new ClientSession(client, dialect, lines)) {
            for (var line = lines.next(); line != null; line = lines.next()) {
                if (!line.isBlank()) session.handleLine(line);
            }
        } catch (InterruptedException e) {
            LOG.log(System.Logger.Level.DEBUG, "the daemon is stopping");
        }
    }

    /** The calls of one connection. */
    private final class ClientSession implements AutoCloseable {
        private final ToolClient client;
        private final Dialect dialect;
        private final LineConnection lines;
        private final RequestBacklog requestBacklog = new RequestBacklog();
        private final Map<String, Thread> calls = new ConcurrentHashMap<>();
        private final Map<String, Runnable> unwritten = new ConcurrentHashMap<>();
        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

        ClientSession(ToolClient client, Dialect dialect, LineConnection lines) {
            this.client = client;
            this.dialect = dialect;
            this.lines = lines;
        }

        void handleLine(String line) throws IOException, InterruptedException {
            JsonNode message;
            try {
                message = RunJson.MAPPER.readTree(line);
            } catch (JacksonException e) {
                lines.send(McpServer.error(null, PARSE_ERROR, "The line is not JSON.")
                        .toString());
                return;
            }
            var params = message.path("params");
            switch (message.path("method").asString("")) {
                case "notifications/cancelled" ->
                    Optional.ofNullable(calls.get(params.path("requestId").toString()))
                            .ifPresent(Thread::interrupt);
                case "notifications/roost/written" ->
                    Optional.ofNullable(unwritten.remove(params.path("id").toString()))
                            .ifPresent(this::runOnDelivered);
                default -> requestBacklog.execute(threads, line, () -> answer(message));
            }
        }

        /** Runs before the next line is read, because the bridge may disconnect at once after its confirmation. */
        private void runOnDelivered(Runnable afterwards) {
            try {
                afterwards.run();
            } catch (RuntimeException e) { // the other calls of this connection go on
                LOG.log(System.Logger.Level.ERROR, "the action after an answer failed", e);
            }
        }

        private void answer(JsonNode message) {
            String id = String.valueOf(message.get("id"));
            calls.put(id, Thread.currentThread());
            try {
                var reply = server.answer(
                        message, client, dialect, progress -> lines.send(RunJson.MAPPER.writeValueAsString(progress)));
                if (reply.isEmpty()) return;
                unwritten.put(id, reply.get().onDelivered());
                lines.send(RunJson.MAPPER.writeValueAsString(reply.get().json()));
            } catch (InterruptedException e) {
                LOG.log(System.Logger.Level.DEBUG, "a client no longer waits for its call; the run goes on");
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "a client disconnected before its answer", e);
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "a call failed", e);
                sendInternalError(message.get("id"));
            } finally {
                calls.remove(id);
            }
        }

        private void sendInternalError(@Nullable JsonNode id) {
            try {
                lines.send(McpServer.error(id, INTERNAL_ERROR, "Roost made a mistake; its log has the details.")
                        .toString());
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "a client disconnected before its answer", e);
            }
        }

        /** Cancels the calls of the disconnected client; the runs go on. */
        @Override
        public void close() {
            threads.shutdownNow();
        }
    }
}
