package dev.roost.conformance.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.home.AttemptDirectory;
import dev.roost.home.Home;
import dev.roost.model.RunId;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/**
 * A Claude Code session in a repository with a remote, and a daemon process. Tests can kill all of them and simulate nights. All
 * processes end with the test.
 */
public final class OvernightFixture implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    public final OwnerSessionFixture parent;
    final CrossProcessClock clock;
    public final UserCheckout project;
    public final UserCheckout remote;
    public final UserCheckout colleague;
    public final Path room;
    private final Path directory;
    private final Random random;
    private final OperatorSocketClient line;
    private Optional<Process> daemon = Optional.empty();

    public OvernightFixture(Path directory, Random random) throws Exception {
        this.directory = directory;
        this.random = random;
        parent = OwnerSessionFixture.unserved(directory);
        clock = new CrossProcessClock(directory.resolve("clock"));
        room = Files.createDirectory(directory.resolve("room"));
        line = new OperatorSocketClient(parent.home.resolve("roost.sock"));
        project = new UserCheckout(parent.user, parent.user.project());
        remote = new UserCheckout(parent.user, Files.createDirectory(directory.resolve("remote.git")));
        colleague = new UserCheckout(parent.user, directory.resolve("colleague"));
        makeRepositories();
        open();
    }

    /** Pushes a commit to main that conflicts with any change of the shared file. */
    private void makeRepositories() throws Exception {
        Files.writeString(
                parent.user.path().resolve(".gitconfig"),
                "[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n[core]\neditor = true\n");
        remote.git("init", "-q", "--bare");
        project.git("init", "-q");
        project.git("remote", "add", "origin", remote.top().toString());
        project.write("shared.txt", "one\n");
        project.write(".gitignore", "*.log\n");
        project.commit("first");
        project.git("push", "-q", "origin", "main");
        remote.git("clone", "-q", ".", colleague.top().toString());
        colleague.write("shared.txt", "theirs\n");
        colleague.commit("second");
        colleague.git("push", "-q", "origin", "main");
        project.git("fetch", "-q");
    }

    private void open() throws IOException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var builder = parent.user
                .process(List.of(
                        java,
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FixtureDaemonMain.class.getName(),
                        parent.home.toString(),
                        directory.resolve("clock").toString()))
                .redirectError(directory.resolve("daemon.err").toFile());
        builder.environment().put("ROOST_DAEMON", "1");
        var process = builder.start();
        daemon = Optional.of(process);
        var line = new BufferedReader(process.inputReader(StandardCharsets.UTF_8)).readLine();
        assertThat(line).as(Files.readString(directory.resolve("daemon.err"))).isEqualTo(Long.toString(process.pid()));
    }

    /** The machine sleeps, this happens while the daemon is suspended, and the machine wakes so much later. */
    public void sleep(Duration time, Action meanwhile) throws Exception {
        signal("-STOP");
        meanwhile.run();
        clock.sleepMachine(time);
        signal("-CONT");
    }

    private void signal(String which) throws IOException, InterruptedException {
        var pid = Long.toString(daemon.orElseThrow().pid());
        assertThat(new ProcessBuilder("kill", which, pid).inheritIO().start().waitFor())
                .isZero();
    }

    /** The daemon is killed, this happens, and another one is started so much later. */
    public void gap(Duration time, Action meanwhile) throws Exception {
        daemon.orElseThrow().destroyForcibly().waitFor();
        meanwhile.run();
        clock.pass(time);
        open();
    }

    public interface Action {
        void run() throws Exception;
    }

    /** The end of an agent's script: it works forever and counts. */
    public String beats(String name) {
        var file = room.resolve(name + ".beat");
        return "n=0; while :; do n=$((n+1)); echo $n > '%s.new'; mv '%s.new' '%s'; sleep 0.05; done"
                .formatted(file, file, file);
    }

    private int beat(String name) throws IOException {
        var file = room.resolve(name + ".beat");
        return Files.exists(file) ? Integer.parseInt(Files.readString(file).strip()) : 0;
    }

    public void awaitBeats(List<String> names) {
        for (var name : names) awaitBeat(name, 1);
    }

    private void awaitBeat(String name, int least) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(10))
                .untilAsserted(() -> assertThat(beat(name)).as(name).isGreaterThanOrEqualTo(least));
    }

    /** A run by the name that the test gave it. */
    public record Named(String name, RunId id) {}

    /** Kills perch and agent of each at random times, in any order. */
    public void killAtRandom(List<Named> runs) throws IOException {
        var order = new ArrayList<>(runs);
        Collections.shuffle(order, random);
        for (var run : order) {
            awaitBeat(run.name(), beat(run.name()) + random.nextInt(8));
            var start = attempt(run.id(), 1).start().orElseThrow();
            SingleAgentFixture.kill(start.perch());
            SingleAgentFixture.kill(start.agent());
        }
    }

    public AttemptDirectory attempt(RunId run, int n) {
        return new Home(parent.home).run(run).attempt(n);
    }

    public UserCheckout worktree(RunId run) {
        return new UserCheckout(parent.user, new Home(parent.home).worktree(run));
    }

    /** The run as the daemon shows it now. */
    JsonNode show(RunId run) {
        return line.ask("show", "run_id", run.text());
    }

    public List<Named> named(List<String> names) {
        return names.stream().map(name -> new Named(name, named(name))).toList();
    }

    public RunId named(String name) {
        for (var run : line.ask("list", "filter", "all").path("runs"))
            if (run.path("name").asString("").equals(name))
                return RunId.parse(run.path("run_id").asString()).orElseThrow();
        throw new AssertionError("no run has the name " + name);
    }

    /** Waits until the run's landing has this value. */
    public void awaitLanding(RunId run, String status, String words) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            var now = show(run);
            assertThat(now.path("status").asString()).as(now.toPrettyString()).isEqualTo(status);
            assertThat(now.path("work").path("landing_text").asString(""))
                    .as(now.toPrettyString())
                    .contains(words);
        });
    }

    public JsonNode inbox(String owner) {
        return line.ask("inbox", "owner", owner).path("notices");
    }

    JsonNode report() {
        return line.ask("report", "since", "3d");
    }

    /** The output of a command in a plain shell. */
    public String roost(String... words) throws Exception {
        return printed(begin(Map.of(), words));
    }

    /** Its output in a shell of that Claude Code session. */
    public String inside(String session, String... words) throws Exception {
        return printed(begin(Map.of("CLAUDECODE", "1", "CLAUDE_CODE_SESSION_ID", session), words));
    }

    /** Starts a command; several can run concurrently. */
    public Process begin(Map<String, String> more, String... words) throws IOException {
        var command = new ArrayList<>(List.of(parent.program.path().toString()));
        command.addAll(List.of(words));
        var builder = parent.user.process(command).redirectErrorStream(true);
        builder.environment().putAll(more);
        var process = builder.start();
        process.getOutputStream().close();
        return process;
    }

    public static String printed(Process process) throws Exception {
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(90, TimeUnit.SECONDS)).as(output).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    @Override
    public void close() {
        daemon.filter(Process::isAlive).ifPresent(process -> {
            for (var run : line.ask("list", "filter", "all").path("runs"))
                if (!run.has("ended_at"))
                    line.ask("stop", "run_id", run.path("run_id").asString());
            process.destroyForcibly();
            process.onExit().join();
        });
        parent.close();
    }
}
