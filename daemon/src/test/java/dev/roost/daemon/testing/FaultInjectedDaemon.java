package dev.roost.daemon.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.testing.RoostCommandLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A daemon that dies of one fault after the other. Whoever finds it dead finds the next one alive. */
final class FaultInjectedDaemon {

    private static final int KILLED = 128 + 9;

    private final Path scratch;
    private final Path home;
    private final Path faults;
    private final Deque<CrashPoint> ahead;
    private final List<CrashPoint> died = new ArrayList<>();
    private Process process;

    @Nullable
    private SocketRpcClient socketRpcClient;

    FaultInjectedDaemon(Path scratch, List<CrashPoint> crashes) throws Exception {
        this.scratch = scratch;
        this.home = scratch.resolve("home");
        this.faults = scratch.resolve("faults");
        this.ahead = new ArrayDeque<>(crashes);
        this.process = live();
    }

    Path home() {
        return home;
    }

    /** What it has died of so far. */
    List<CrashPoint> died() {
        return died;
    }

    /** One that serves; those that die before they do are buried. */
    private Process live() throws Exception {
        while (true) {
            Files.writeString(faults, ahead.isEmpty() ? "" : "kill %s\n".formatted(ahead.getFirst()));
            process = launch();
            var line = DaemonFixture.firstLine(process);
            if (line.startsWith("{\"pid\":")) return process;
            assertThat(line).as("a killed daemon prints nothing").isEqualTo("null");
            bury();
        }
    }

    private Process launch() throws IOException {
        var words = new ArrayList<>(RoostCommandLines.daemon("-Xmx256m", "--enable-native-access=ALL-UNNAMED"));
        words.add(home.toString());
        var builder = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment()
                .putAll(Map.of(
                        "ROOST_DAEMON", "1",
                        "ROOST_FAULTS", faults.toString(),
                        "XDG_CONFIG_HOME", scratch.resolve("config").toString()));
        return builder.start();
    }

    /** Only its fault point kills it, and its log names the point. */
    private void bury() throws Exception {
        if (socketRpcClient != null) socketRpcClient.close();
        socketRpcClient = null;
        assertThat(process.waitFor(20, TimeUnit.SECONDS))
                .as("the daemon has ended")
                .isTrue();
        assertThat(process.exitValue()).as("the daemon was killed").isEqualTo(KILLED);
        assertThat(ahead).as("it crashed %s, and then without a fault", died).isNotEmpty();
        died.add(ahead.removeFirst());
        try (var log = Files.lines(home.resolve("logs/daemon.0.log"))) {
            assertThat(log.filter(line -> line.contains(" dies "))
                            .map(line -> line.replaceFirst(".* dies (.*), on purpose.*", "$1")))
                    .containsExactlyElementsOf(
                            died.stream().map(CrashPoint::toString).toList());
        }
    }

    private interface Talk<T> {
        T with(SocketRpcClient socketRpcClient) throws IOException;
    }

    /** Empty if it died before its answer; then the next daemon is running. */
    private <T> Optional<T> talk(Talk<T> talk) throws Exception {
        try {
            if (socketRpcClient == null) socketRpcClient = new SocketRpcClient(home);
            return Optional.of(talk.with(socketRpcClient));
        } catch (IOException e) {
            bury();
            process = live();
            return Optional.empty();
        }
    }

    Optional<JsonNode> ask(String method, ObjectNode params) throws Exception {
        return talk(with -> {
            var answer = with.exchange(method, params);
            assertThat(answer.path("error").toString()).as(method).isEmpty();
            return answer.get("result");
        });
    }

    /** Asks until it is answered. */
    JsonNode answer(String method, ObjectNode params) throws Exception {
        while (true) {
            var answer = ask(method, params);
            if (answer.isPresent()) return answer.get();
        }
    }

    /** Adds the output to {@code printed} before confirming it, as {@code roost hook} does; false if the daemon died. */
    boolean hook(String event, String session, List<String> printed) throws Exception {
        if (socketRpcClient != null) socketRpcClient.close();
        socketRpcClient = null;
        var request = DaemonFixture.JSON.createObjectNode().put("method", "hook");
        request.putObject("params")
                .put("harness", "claude-code")
                .put("event", event)
                .put("input", "{\"session_id\":\"%s\",\"prompt\":\"go on\"}".formatted(session));
        boolean heard = talk(with -> {
                    with.send(request.toString());
                    var answer = with.line();
                    if (answer.equals("{}")) return true;
                    printed.add(answer);
                    with.send("written");
                    assertThat(with.line()).isEqualTo("ok");
                    return true;
                })
                .isPresent();
        if (socketRpcClient != null) socketRpcClient.close();
        socketRpcClient = null;
        return heard;
    }

    /** Also removes what a failed test may have left. */
    void end() throws Exception {
        ahead.clear();
        if (!process.isAlive()) {
            socketRpcClient = null;
            process = live();
        }
        var operator = DaemonFixture.JSON
                .createObjectNode()
                .put("caller", "cli:operator")
                .put("operator", true);
        for (var run : answer("list", operator).path("runs"))
            if (!run.has("ended_at"))
                answer(
                        "stop",
                        operator.deepCopy().put("run_id", run.path("run_id").asString()));
        if (socketRpcClient != null) socketRpcClient.close();
        process.destroyForcibly().waitFor();
    }
}
