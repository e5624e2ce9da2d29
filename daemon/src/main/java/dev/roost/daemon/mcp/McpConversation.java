package dev.roost.daemon.mcp;

import dev.roost.daemon.wire.Backlog;
import dev.roost.daemon.wire.Json;
import dev.roost.daemon.wire.Lines;
import dev.roost.daemon.wire.Upgrade;
import dev.roost.house.House;
import dev.roost.run.Owner;
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
 * A harness behind {@code roost mcp}. The bridge says when it has written an answer out to the harness: only then was it given,
 * and a run read.
 */
public final class McpConversation implements Upgrade {

    private static final System.Logger LOG = System.getLogger(McpConversation.class.getName());
    private static final int PARSE_ERROR = -32700;
    private static final int INTERNAL_ERROR = -32603;

    private final House house;
    private final McpServer server;
    private final BiConsumer<Owner, Map<String, String>> environments;

    /** {@code environments} is told with which environment an owner's harness runs. */
    public McpConversation(House house, McpServer server, BiConsumer<Owner, Map<String, String>> environments) {
        this.house = house;
        this.server = server;
        this.environments = environments;
    }

    @Override
    public void hold(@Nullable JsonNode hello, Lines lines) throws IOException {
        var client = BridgeClient.of(hello, house, environments);
        var dialect = Dialect.of(
                hello == null ? Optional.empty() : hello.path("dialect").asStringOpt());
        try (var talk = new Talk(client, dialect, lines)) {
            for (var line = lines.next(); line != null; line = lines.next()) {
                if (!line.isBlank()) talk.hear(line);
            }
        } catch (InterruptedException e) {
            LOG.log(System.Logger.Level.DEBUG, "the daemon ends");
        }
    }

    /** One connection's calls under way. */
    private final class Talk implements AutoCloseable {
        private final Client client;
        private final Dialect dialect;
        private final Lines lines;
        private final Backlog backlog = new Backlog();
        private final Map<String, Thread> calls = new ConcurrentHashMap<>();
        private final Map<String, Runnable> unwritten = new ConcurrentHashMap<>();
        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

        Talk(Client client, Dialect dialect, Lines lines) {
            this.client = client;
            this.dialect = dialect;
            this.lines = lines;
        }

        void hear(String line) throws IOException, InterruptedException {
            JsonNode message;
            try {
                message = Json.MAPPER.readTree(line);
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
                            .ifPresent(this::told);
                default -> {
                    int weight = backlog.enter(line);
                    threads.execute(() -> {
                        try {
                            answer(message);
                        } finally {
                            backlog.leave(weight);
                        }
                    });
                }
            }
        }

        /** Before the next line is heard: who has said this may go at once. */
        private void told(Runnable afterwards) {
            try {
                afterwards.run();
            } catch (RuntimeException e) { // the other calls of this connection go on
                LOG.log(System.Logger.Level.ERROR, "what was to follow an answer failed", e);
            }
        }

        private void answer(JsonNode message) {
            String id = String.valueOf(message.get("id"));
            calls.put(id, Thread.currentThread());
            try {
                var reply = server.answer(
                        message, client, dialect, progress -> lines.send(Json.MAPPER.writeValueAsString(progress)));
                if (reply.isEmpty()) return;
                unwritten.put(id, reply.get().afterwards());
                lines.send(Json.MAPPER.writeValueAsString(reply.get().json()));
            } catch (InterruptedException e) {
                LOG.log(System.Logger.Level.DEBUG, "a call is not waited for any more; its run goes on");
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "a client went away before its answer", e);
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "a call failed", e);
                sorry(message.get("id"));
            } finally {
                calls.remove(id);
            }
        }

        private void sorry(@Nullable JsonNode id) {
            try {
                lines.send(McpServer.error(id, INTERNAL_ERROR, "Roost made a mistake; its log says which.")
                        .toString());
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "a client went away before its answer", e);
            }
        }

        /** Who went away wants no answers; the runs go on. */
        @Override
        public void close() {
            threads.shutdownNow();
        }
    }
}
