package dev.roost.conformance.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.config.EngineConfig;
import dev.roost.conformance.agents.AgentCli;
import dev.roost.conformance.agents.AgentCliCatalog;
import dev.roost.conformance.agents.AgentCliHome;
import dev.roost.conformance.model.JsonObjects;
import dev.roost.conformance.model.ScriptStep;
import dev.roost.conformance.model.ScriptedModel;
import dev.roost.daemon.Daemon;
import dev.roost.daemon.config.DaemonSettings;
import dev.roost.daemon.config.HttpSetting;
import dev.roost.home.Home;
import dev.roost.model.Budget;
import dev.roost.model.Caps;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** A real CLI without Roost's hooks, and a Roost whose user searches for lost work. */
public final class RescueFixture implements AutoCloseable {

    /** A shell step that ends when the project has a file of this name. */
    public static String until(String file) {
        return "bash?cmd=" + OwnerSessionFixture.encoded("until [ -e %s ]; do sleep 0.2; done".formatted(file));
    }

    private static final Pattern SOCKETS = Pattern.compile("/tmp/cc-daemon-\\d+/[0-9a-f]+");

    public final ScriptedModel model = ScriptedModel.start();
    public final SimulatedSleepClock clock = new SimulatedSleepClock();
    public final AgentCliHome user;
    private final AgentCli agentCli;
    private final Daemon daemon;
    private final RoostProgram program;
    private final List<Process> started = new ArrayList<>();

    public RescueFixture(AgentCli agentCli, Path directory) throws Exception {
        this.agentCli = agentCli;
        program = RoostProgram.in(directory.resolve("bin"));
        user = AgentCliHome.fresh(agentCli, Files.createDirectories(directory.resolve("user")), model);
        Files.createSymbolicLink(
                directory.resolve("bin").resolve(agentCli.name()),
                Path.of(AgentCliCatalog.command(agentCli).getLast()));
        user.environment().put("PATH", directory.resolve("bin") + ":" + System.getenv("PATH"));
        var home = directory.resolve("home");
        user.environment().put("ROOST_HOME", home.toString());
        user.environment()
                .put(
                        "CLAUDE_CODE_TMPDIR",
                        Files.createDirectories(directory.resolve("user/tmp")).toString());
        daemon = Daemon.open(
                Home.open(home),
                new EngineConfig(Caps.NONE, 1, Budget.DEFAULT_MAX_OUTPUT),
                new DaemonSettings(new HttpSetting.Disabled(), Optional.empty()),
                clock,
                "test",
                () -> {});
    }

    /** Starts the CLI with a prompt, in the background. */
    public Process begin(String prompt, String... words) throws Exception {
        var process = user.process(Stream.concat(AgentCliCatalog.command(agentCli).stream(), Stream.of(words))
                        .toList())
                .redirectOutput(user.path().resolve("out").toFile())
                .redirectError(user.path().resolve("err").toFile())
                .start();
        started.add(process);
        try (var in = process.getOutputStream()) {
            in.write(prompt.getBytes(StandardCharsets.UTF_8));
        }
        return process;
    }

    /** Waits until the model has requested the wait for this file. */
    public void awaitWaitingFor(String file) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> model.asked().stream()
                        .anyMatch(requestRecord -> requestRecord.answer() instanceof ScriptStep.Shell(var command)
                                && command.contains("-e " + file + " ")));
    }

    public void let(String file) throws IOException {
        Files.createFile(user.project().resolve(file));
    }

    /** Waits until one of the CLI's own files contains this text. */
    public void awaitWritten(Path folder, String words) {
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            if (!Files.isDirectory(folder)) return false;
            try (var files = Files.walk(folder)) {
                for (var file : files.filter(Files::isRegularFile).toList())
                    if (Files.readString(file, StandardCharsets.ISO_8859_1).contains(words)) return true;
            }
            return false;
        });
    }

    /** Kills it, and creates the files its shells wait for, so that they end too. */
    public void kill(Process process) throws Exception {
        process.destroyForcibly();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        let("never");
        let("forever");
        await().atMost(Duration.ofSeconds(30))
                .until(() -> ProcessHandle.allProcesses().noneMatch(other -> isInProject(other.pid())));
        clock.sleepMachine(Duration.ofMinutes(2));
    }

    private boolean isInProject(long pid) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", Long.toString(pid), "cwd"))
                    .equals(user.project().toRealPath());
        } catch (IOException e) {
            return false;
        }
    }

    /** A process with its descendants and the sockets in its own directory. */
    public void killTree(ProcessHandle process) throws Exception {
        var all = Stream.concat(Stream.of(process), process.descendants()).toList();
        var sockets = new LinkedHashSet<Path>();
        for (var one : all) {
            var words = Files.readString(Path.of("/proc", Long.toString(one.pid()), "cmdline"));
            SOCKETS.matcher(words).results().forEach(found -> sockets.add(Path.of(found.group())));
        }
        all.forEach(ProcessHandle::destroyForcibly);
        let("never");
        let("forever");
        await().atMost(Duration.ofSeconds(30))
                .until(() -> ProcessHandle.allProcesses().noneMatch(other -> isInProject(other.pid())));
        clock.sleepMachine(Duration.ofMinutes(2));
        for (var folder : sockets) {
            try (var files = Files.walk(folder)) {
                for (var file : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(file);
            }
        }
    }

    /** Makes the project a repository with a commit. */
    public void makeRepository() throws Exception {
        Files.writeString(user.project().resolve("README"), "a project\n");
        for (var words : List.of("init -q -b main", "add .", "commit -q -m first")) {
            var command = new ArrayList<>(List.of("git", "-c", "user.name=a", "-c", "user.email=a@b"));
            command.addAll(List.of(words.split(" ", -1)));
            assertThat(user.process(command).start().waitFor()).as(words).isZero();
        }
    }

    /** {@code roost rescue --json}. */
    public JsonNode rescue(String... words) throws Exception {
        var command = Stream.concat(Stream.of("rescue", "--json"), Stream.of(words));
        return JsonObjects.MAPPER.readTree(type(command.toArray(String[]::new)));
    }

    public String type(String... words) throws Exception {
        var process = user.process(Stream.concat(Stream.of(program.path().toString()), Stream.of(words))
                        .toList())
                .redirectErrorStream(true)
                .start();
        started.add(process);
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isIn(0, 1);
        return output;
    }

    /** Title and state of each, in order. */
    public static List<String> states(JsonNode answer) {
        return answer.path("found")
                .valueStream()
                .map(one -> "%s %s"
                        .formatted(
                                one.path("title").asString().split(" ", 2)[0],
                                one.path("state").asString()))
                .toList();
    }

    public static JsonNode found(JsonNode answer, String title) {
        return answer.path("found")
                .valueStream()
                .filter(one -> one.path("title").asString().startsWith(title))
                .findFirst()
                .orElseThrow(() -> new AssertionError(title + " is not in " + answer.toPrettyString()));
    }

    /** All files of the user, with content hash and modification time. */
    public Map<String, String> files() throws Exception {
        var all = new TreeMap<String, String>();
        try (var files = Files.walk(user.path())) {
            for (var file : files.toList()) {
                var name = user.path().relativize(file).toString();
                var state = Files.getLastModifiedTime(file, java.nio.file.LinkOption.NOFOLLOW_LINKS)
                        .toString();
                if (Files.isRegularFile(file))
                    state += " "
                            + HexFormat.of()
                                    .formatHex(
                                            MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
                all.put(name, state);
            }
        }
        return all;
    }

    public String printed() throws IOException {
        return Files.readString(user.path().resolve("out"))
                + Files.readString(user.path().resolve("err"));
    }

    @Override
    public void close() {
        for (var process : started) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        daemon.close();
        model.close();
    }
}
