package dev.roost.cli.testing;

import static org.awaitility.Awaitility.await;

import dev.roost.cli.client.DaemonClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Starts the MCP bridge and the hooks as processes, as a harness does. */
public abstract class BridgeFixture extends ScriptedAgentCliFixture {

    public static final String SESSION = "5f0c0000-0000-4000-8000-000000000001";

    private Path program;

    @BeforeEach
    void allowCommands() throws IOException {
        config("[tools]\nagents = ['command', 'claude']\n");
        program = scratch.resolve("bin/roost");
        Files.writeString(program, """
                #!/bin/sh
                case $1 in hook | mcp | socket) exec %s "$@" ;; *) exec %s "$@" ;; esac
                """.formatted(quoted(bridgeCommand()), quoted(command())));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    }

    private String quoted(List<String> words) {
        return String.join(
                " ",
                words.stream()
                        .map(word -> word.startsWith("-Droost.launcher=") ? "-Droost.launcher=" + program : word)
                        .map(word -> "'" + word + "'")
                        .toList());
    }

    /** The program in the environment of a harness, without variables of this test's caller. */
    public ProcessBuilder program(String... words) {
        var builder = new ProcessBuilder(program.toString()).directory(scratch.toFile());
        builder.command().addAll(List.of(words));
        builder.environment().keySet().removeIf(name -> name.matches("(ROOST_|CLAUDE|OPENCODE|CODEX|GEMINI).*"));
        builder.environment().put("ROOST_HOME", home.toString());
        builder.environment().put("XDG_CONFIG_HOME", scratch.resolve("config").toString());
        return builder;
    }

    /** The harness's side of the pipes. */
    public final class Harness implements AutoCloseable {
        private final Process bridge;
        public final ConcurrentLinkedQueue<JsonNode> said = new ConcurrentLinkedQueue<>();
        private int calls;

        public Harness(Map<String, String> environment, String... words) throws IOException {
            var builder = program("mcp");
            builder.command().addAll(List.of(words));
            builder.environment().put("SCRATCH", scratch.toString());
            builder.environment().put("PATH", scratch.resolve("bin") + ":" + System.getenv("PATH"));
            builder.environment().putAll(environment);
            bridge = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
            Thread.ofVirtual()
                    .start(() -> bridge.inputReader(StandardCharsets.UTF_8)
                            .lines()
                            .forEach(line -> said.add(DaemonClient.JSON.readTree(line))));
        }

        public Harness() throws IOException {
            this(Map.of("CLAUDECODE", "1", "CLAUDE_CODE_SESSION_ID", SESSION));
        }

        public int send(String method, ObjectNode params) {
            int id = ++calls;
            var request =
                    DaemonClient.JSON.createObjectNode().put("jsonrpc", "2.0").put("id", id);
            request.put("method", method).set("params", params);
            write(request);
            return id;
        }

        void write(JsonNode message) {
            try {
                bridge.getOutputStream().write((message + "\n").getBytes(StandardCharsets.UTF_8));
                bridge.getOutputStream().flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        public int call(String tool, String arguments) {
            var params = DaemonClient.JSON.createObjectNode().put("name", tool);
            params.set("arguments", DaemonClient.JSON.readTree(arguments.replace('\'', '"')));
            return send("tools/call", params);
        }

        public JsonNode answer(int id) {
            await().atMost(Duration.ofSeconds(60)).until(() -> answers(id) > 0);
            return said.stream()
                    .filter(one -> one.path("id").asInt(-1) == id)
                    .findFirst()
                    .orElseThrow();
        }

        public long answers(int id) {
            return said.stream().filter(one -> one.path("id").asInt(-1) == id).count();
        }

        /** A tool's answer as fields. */
        public JsonNode tool(String tool, String arguments) {
            return answer(call(tool, arguments)).path("result").path("structuredContent");
        }

        @Override
        public void close() {
            bridge.destroyForcibly();
        }
    }

    public static String background(String script) {
        return "{'prompt': '%s', 'description': 'd', 'agent': 'command', 'run_in_background': true}".formatted(script);
    }
}
