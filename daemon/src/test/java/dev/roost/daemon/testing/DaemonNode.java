package dev.roost.daemon.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.testing.RoostCommandLines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A daemon that is a node of a cluster, in a process of its own with a home of its own: to be killed, frozen and started again. */
public final class DaemonNode implements AutoCloseable {

    private static final Duration SOON = Duration.ofSeconds(60);

    public final String name;
    public final Path home;
    private final Path config;
    private final List<String> prefix;
    private final Path log;
    private Process daemon;

    /** {@code prefix} precedes the daemon's command, to run it elsewhere. */
    DaemonNode(Path root, String name, String toml, List<String> prefix) throws IOException {
        this.name = name;
        this.home = root.resolve(name);
        this.config = root.resolve(name + "-config");
        this.prefix = prefix;
        this.log = root.resolve(name + ".err");
        var file = Files.createDirectories(config.resolve("roost")).resolve("config.toml");
        Files.writeString(file, toml);
        this.daemon = launch();
        ready();
    }

    private Process launch() throws IOException {
        var words = new ArrayList<>(prefix);
        words.addAll(RoostCommandLines.daemon("-Xmx192m", "--enable-native-access=ALL-UNNAMED"));
        words.add(home.toString());
        var builder = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(Map.of("ROOST_DAEMON", "1", "XDG_CONFIG_HOME", config.toString()));
        return builder.start();
    }

    private void ready() throws IOException {
        assertThat(DaemonFixture.firstLine(daemon)).as(name).startsWith("{\"pid\":");
    }

    long pid() {
        return daemon.pid();
    }

    public void start() throws IOException {
        daemon = launch();
        ready();
    }

    public void kill9() throws InterruptedException {
        daemon.destroyForcibly().waitFor();
    }

    /** An orderly stop: its agents go on. */
    public void stop() throws InterruptedException {
        daemon.destroy();
        assertThat(daemon.waitFor(SOON.toSeconds(), TimeUnit.SECONDS))
                .as("%s stops", name)
                .isTrue();
    }

    public void freeze() {
        signal("STOP");
        await().atMost(SOON)
                .until(() -> Files.readString(Path.of("/proc/%d/stat".formatted(pid())))
                        .contains(") T "));
    }

    public void thaw() {
        signal("CONT");
    }

    private void signal(String signal) {
        try {
            new ProcessBuilder("kill", "-" + signal, Long.toString(pid()))
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    public SocketRpcClient rpc() throws IOException {
        return new SocketRpcClient(home);
    }

    public JsonNode call(String method, ObjectNode params) throws IOException {
        try (var socketRpcClient = rpc()) {
            var answer = socketRpcClient.exchange(method, params);
            assertThat(answer.path("error").toString()).as(method).isEmpty();
            return answer.get("result");
        }
    }

    /** Runs that have processes of this home. */
    public java.util.Set<String> alive() throws IOException {
        return RunCookieScan.alive(home);
    }

    public String said() {
        try {
            var logs = home.resolve("logs/daemon.0.log");
            return "%s:\n%s\n%s"
                    .formatted(name, Files.readString(log), Files.exists(logs) ? Files.readString(logs) : "");
        } catch (IOException e) {
            return name + ": " + e;
        }
    }

    @Override
    public void close() {
        daemon.destroyForcibly();
        try {
            daemon.waitFor();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
