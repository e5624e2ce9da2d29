package dev.roost.cli.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cli.client.CallerIdentity;
import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Invocation;
import dev.roost.testing.RoostCommandLines;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Runs commands against a daemon that the first of them starts. Most run in this JVM, which is warm; {@link #cold} and
 * {@link #launch} start a process.
 */
public abstract class CliFixture {

    /** Variables to remove, so that a test acts as a person even if an agent runs it. */
    private static final Pattern AGENT_VARIABLES = Pattern.compile("ROOST_|CLAUDE|OPENCODE|CODEX|GEMINI_CLI");

    /** The home of the daemon that the tests of a class share. */
    @TempDir
    static Path ofClass;

    @TempDir
    public Path scratch;

    public Path home;
    private boolean shares;

    /** The tests of the class share a daemon, except those with {@link OwnDaemon}; no test leaves a run. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    public @interface OneDaemon {}

    /** The test starts, configures or ends its daemon itself, or needs a new home. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    public @interface OwnDaemon {}

    @BeforeEach
    void chooseHome(TestInfo test) {
        shares = getClass().isAnnotationPresent(OneDaemon.class)
                && !test.getTestMethod().orElseThrow().isAnnotationPresent(OwnDaemon.class);
        home = (shares ? ofClass : scratch).resolve("home");
    }

    /** The user's configuration directory. */
    private Path config() {
        return (shares ? ofClass : scratch).resolve("config");
    }

    public record Ran(int exit, String out, String err) {
        public JsonNode json() {
            return DaemonClient.JSON.readTree(out);
        }

        public Ran ok() {
            assertThat(exit).as("out: %s\nerr: %s", out, err).isZero();
            return this;
        }
    }

    /** {@code java … dev.roost.cli.CliMain}, as the launcher calls it. */
    public static List<String> command(String... words) {
        var command = new ArrayList<>(RoostCommandLines.cli(options()));
        command.addAll(List.of(words));
        return command;
    }

    /** The same for the bridges. */
    public static List<String> bridgeCommand(String... words) {
        var command = new ArrayList<>(RoostCommandLines.bridge(options()));
        command.addAll(List.of(words));
        return command;
    }

    static String[] options() {
        return new String[] {
            "-Droost.jvm=-XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED",
            "-Droost.launcher=" + Path.of("..", "roost").toAbsolutePath().normalize()
        };
    }

    public Process launch(Map<String, String> environment, String... words) throws IOException {
        // as from a terminal: a background process of a script would ignore Ctrl-C
        var all = new ArrayList<>(List.of("env", "--default-signal=INT,QUIT"));
        all.addAll(command(words));
        var builder = new ProcessBuilder(all).directory(scratch.toFile());
        builder.environment().clear();
        builder.environment().putAll(surroundings());
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** The environment of a person's shell. */
    Map<String, String> surroundings() {
        var environment = new HashMap<>(System.getenv());
        environment.keySet().removeIf(name -> AGENT_VARIABLES.matcher(name).lookingAt());
        environment.put("ROOST_HOME", home.toString());
        environment.put("XDG_CONFIG_HOME", config().toString());
        environment.put("SCRATCH", scratch.toString());
        return environment;
    }

    public Ran roost(String... words) {
        return roostWith("", Map.of(), words);
    }

    public Ran roostWith(String input, Map<String, String> environment, String... words) {
        var all = surroundings();
        all.putAll(environment);
        return InProcessCli.run(new Invocation(all, scratch), input, words);
    }

    /** Runs the command as a process. */
    public Ran cold(String... words) {
        return coldWith("", Map.of(), words);
    }

    public Ran coldWith(String input, Map<String, String> environment, String... words) {
        try {
            return finish(launch(environment, words), input);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    public static Ran finish(Process process, String input) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var out = threads.submit(() -> new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            var err = threads.submit(() -> new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
            try (var in = process.getOutputStream()) {
                in.write(input.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                // the process does not read its input
            }
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
            return new Ran(process.exitValue(), out.get(), err.get());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs it in the background and returns its id. */
    public String start(String script) {
        return roost("run", "--", "sh", "-c", script).ok().out().strip();
    }

    /** Waits until the run has a pid. */
    public void awaitProcess(String id) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> roost("show", id, "--json").ok().json().has("pid"));
    }

    /** Waits until the daemon has recorded that the owner read the result, which follows the reply. */
    public void awaitRead(String id) {
        await().atMost(Duration.ofSeconds(30))
                .until(() ->
                        !roost("show", id, "--json").ok().json().path("unread").asBoolean());
    }

    public void touch(String name) throws IOException {
        Files.createFile(scratch.resolve(name));
    }

    public static boolean alive(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException e) {
            return false;
        }
    }

    public long daemonPid() {
        return roost("daemon", "status", "--json").ok().json().path("pid").asLong();
    }

    /** Cleans up by RPC from this JVM: three commands would start three more JVMs for each test. */
    @AfterEach
    void stopEverything() throws Exception {
        try (var client = asPerson(home)) {
            if (!serves(client)) return;
            var live = client.call(
                    "list", ClientCommand.params().put("filter", "all_active").put("limit", 1000));
            stop(live.path("runs")
                    .valueStream()
                    .filter(run -> !run.has("ended_at"))
                    .map(run -> run.path("run_id").asString())
                    .toList());
            if (shares)
                client.call("prune", ClientCommand.params().put("unread", true).put("older_than", "1ms"));
            else assertThat(client.shutdown()).isPresent();
        }
    }

    @AfterAll
    static void stopDaemonOfClass() {
        try (var client = asPerson(ofClass.resolve("home"))) {
            if (serves(client)) assertThat(client.shutdown()).isPresent();
        }
    }

    private static DaemonClient asPerson(Path home) {
        return DaemonClient.of(home, CallerIdentity.of(Map.of(), System.getProperty("user.name")), Map.of());
    }

    private static boolean serves(DaemonClient client) {
        try {
            return client.callIfRunning("status", ClientCommand.params()).isPresent();
        } catch (CliError e) {
            return false;
        }
    }

    /** Stops the runs in parallel: each may take the whole grace. */
    private void stop(List<String> runs) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var stops = runs.stream()
                    .map(run -> threads.submit(() -> {
                        try (var own = asPerson(home)) {
                            return own.call("stop", ClientCommand.params().put("run_id", run));
                        }
                    }))
                    .toList();
            for (var one : stops) one.get();
        }
    }
}
