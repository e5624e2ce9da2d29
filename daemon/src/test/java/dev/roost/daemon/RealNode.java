package dev.roost.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.house.Programs;
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
final class RealNode implements AutoCloseable {

    private static final Duration SOON = Duration.ofSeconds(60);

    final String name;
    final Path home;
    private final Path config;
    private final List<String> prefix;
    private final Path log;
    private Process daemon;

    /** {@code prefix} are words before the daemon's own, to run it elsewhere. */
    RealNode(Path root, String name, String toml, List<String> prefix) throws IOException {
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
        words.addAll(Programs.daemon("-Xmx192m", "--enable-native-access=ALL-UNNAMED"));
        words.add(home.toString());
        var builder = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(Map.of("ROOST_DAEMON", "1", "XDG_CONFIG_HOME", config.toString()));
        return builder.start();
    }

    private void ready() throws IOException {
        assertThat(RealDaemon.firstLine(daemon)).as(name).startsWith("{\"pid\":");
    }

    long pid() {
        return daemon.pid();
    }

    void start() throws IOException {
        daemon = launch();
        ready();
    }

    void kill9() throws InterruptedException {
        daemon.destroyForcibly().waitFor();
    }

    /** An orderly stop: its agents go on. */
    void stop() throws InterruptedException {
        daemon.destroy();
        assertThat(daemon.waitFor(SOON.toSeconds(), TimeUnit.SECONDS))
                .as("%s stops", name)
                .isTrue();
    }

    void freeze() {
        signal("STOP");
        await().atMost(SOON)
                .until(() -> Files.readString(Path.of("/proc/%d/stat".formatted(pid())))
                        .contains(") T "));
    }

    void thaw() {
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

    Rpc rpc() throws IOException {
        return new Rpc(home);
    }

    JsonNode call(String method, ObjectNode params) throws IOException {
        try (var rpc = rpc()) {
            var answer = rpc.exchange(method, params);
            assertThat(answer.path("error").toString()).as(method).isEmpty();
            return answer.get("result");
        }
    }

    /** Runs that have processes of this home. */
    java.util.Set<String> alive() throws IOException {
        return Cookies.alive(home);
    }

    String said() {
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
