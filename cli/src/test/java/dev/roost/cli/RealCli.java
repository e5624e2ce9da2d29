package dev.roost.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.house.Programs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The command line as a person or a script uses it: one process a command, a daemon started by the first of them. */
abstract class RealCli {

    /** A test is a person's command, also where an agent runs the tests. */
    private static final Pattern OF_AGENTS = Pattern.compile("ROOST_|CLAUDE|OPENCODE|CODEX|GEMINI_CLI");

    @TempDir
    Path scratch;

    Path home;

    @BeforeEach
    void chooseHome() {
        home = scratch.resolve("home");
    }

    record Ran(int exit, String out, String err) {
        JsonNode json() {
            return Client.JSON.readTree(out);
        }

        Ran ok() {
            assertThat(exit).as("out: %s\nerr: %s", out, err).isZero();
            return this;
        }
    }

    /** {@code java … dev.roost.cli.Main}, as the launcher would call it. */
    static List<String> command(String... words) {
        var command = new ArrayList<>(Programs.cli(options()));
        command.addAll(List.of(words));
        return command;
    }

    /** The same for the small program of hooks and tools. */
    static List<String> bridgeCommand(String... words) {
        var command = new ArrayList<>(Programs.bridge(options()));
        command.addAll(List.of(words));
        return command;
    }

    private static String[] options() {
        return new String[] {
            "-Droost.jvm=-XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED",
            "-Droost.launcher=" + Path.of("..", "roost").toAbsolutePath().normalize()
        };
    }

    Process launch(Map<String, String> environment, String... words) throws IOException {
        // as from a terminal: what a script starts in the background ignores Ctrl-C, and so would this
        var all = new ArrayList<>(List.of("env", "--default-signal=INT,QUIT"));
        all.addAll(command(words));
        var builder = new ProcessBuilder(all).directory(scratch.toFile());
        builder.environment().keySet().removeIf(name -> OF_AGENTS.matcher(name).lookingAt());
        builder.environment().put("ROOST_HOME", home.toString());
        builder.environment().put("XDG_CONFIG_HOME", scratch.resolve("config").toString());
        builder.environment().put("SCRATCH", scratch.toString());
        builder.environment().putAll(environment);
        return builder.start();
    }

    Ran roost(String... words) {
        return roostWith("", Map.of(), words);
    }

    Ran roostWith(String input, Map<String, String> environment, String... words) {
        try {
            return finish(launch(environment, words), input);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    static Ran finish(Process process, String input) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var out = threads.submit(() -> new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            var err = threads.submit(() -> new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
            try (var in = process.getOutputStream()) {
                in.write(input.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                // it did not want to know
            }
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
            return new Ran(process.exitValue(), out.get(), err.get());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs it in the background and returns its id. */
    String start(String script) {
        return roost("run", "--", "sh", "-c", script).ok().out().strip();
    }

    void touch(String name) throws IOException {
        Files.createFile(scratch.resolve(name));
    }

    static boolean alive(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException e) {
            return false;
        }
    }

    long daemonPid() {
        return roost("daemon", "status", "--json").ok().json().path("pid").asLong();
    }

    /** Asked for by this JVM: the same by three commands would be three more JVMs for each test. */
    @AfterEach
    void stopEverything() throws Exception {
        try (var client = asPerson()) {
            if (!serves(client)) return;
            var live = client.ask(
                    "list", Common.params().put("filter", "all_active").put("limit", 1000));
            stop(live.path("runs")
                    .valueStream()
                    .filter(run -> !run.has("ended_at"))
                    .map(run -> run.path("run_id").asString())
                    .toList());
            assertThat(DaemonCommand.stop(client)).isPresent();
        }
    }

    private Client asPerson() {
        return Client.of(home, Identity.of(Map.of(), System.getProperty("user.name")), Map.of());
    }

    private static boolean serves(Client client) {
        try {
            return client.askIfRunning("status", Common.params()).isPresent();
        } catch (CliError e) {
            return false;
        }
    }

    /** Side by side: each may take the whole grace. */
    private void stop(List<String> runs) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var stops = runs.stream()
                    .map(run -> threads.submit(() -> {
                        try (var own = asPerson()) {
                            return own.ask("stop", Common.params().put("run_id", run));
                        }
                    }))
                    .toList();
            for (var one : stops) one.get();
        }
    }
}
