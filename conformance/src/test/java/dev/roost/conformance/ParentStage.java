package dev.roost.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.Caller;
import dev.roost.Config;
import dev.roost.Roost;
import dev.roost.agents.Permissions;
import dev.roost.agents.Profile;
import dev.roost.daemon.Daemon;
import dev.roost.ledger.Query;
import dev.roost.ledger.Run;
import dev.roost.run.Budget;
import dev.roost.run.Caps;
import dev.roost.run.Owner;
import dev.roost.run.Parent;
import dev.roost.sessions.WakePolicy;
import dev.roost.supervisor.Home;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** A real Claude Code as parent session, wired to a Roost, both talking to a scripted model. Nothing of it outlives its test. */
final class ParentStage implements AutoCloseable {

    private static final Caller PERSON = new Caller(new Owner("cli:person"), true);
    private static final List<String> EVENTS =
            List.of("SessionStart", "UserPromptSubmit", "PostToolBatch", "Stop", "StopFailure", "SessionEnd");

    final ScriptedModel model = ScriptedModel.start();
    final StageClock clock = new StageClock();
    final CliHome user;
    final RoostProgram program;
    private final Path home;
    private final List<String> claude;
    private final List<Process> started = new ArrayList<>();
    private WakePolicy waking = WakePolicy.DEFAULT;
    private Optional<Daemon> daemon = Optional.empty();

    ParentStage(Path directory) throws Exception {
        home = directory.resolve("home");
        program = RoostProgram.in(directory.resolve("bin"));
        claude = Clis.command(Clis.CLAUDE);
        Files.createSymbolicLink(directory.resolve("bin/claude"), Path.of(claude.getLast()));
        user = CliHome.fresh(Clis.CLAUDE, Files.createDirectories(directory.resolve("user")), model);
        user.environment().put("ROOST_HOME", home.toString());
        user.environment().put("PATH", directory.resolve("bin") + ":" + System.getenv("PATH"));
        wire();
        open();
    }

    ParentStage with(WakePolicy policy) {
        waking = policy;
        reopen();
        return this;
    }

    /** What {@code roost install claude-code} writes. */
    private void wire() throws IOException {
        var settings = Json.object();
        var hooks = settings.putObject("hooks");
        for (var event : EVENTS) {
            var all = hooks.putArray(event).addObject().putArray("hooks");
            all.addObject().put("type", "command").put("command", program.path() + " hook claude-code " + event);
            if (event.equals("Stop")) {
                all.addObject()
                        .put("type", "command")
                        .put("command", program.path() + " hook claude-code Wake")
                        .put("asyncRewake", true)
                        .put("timeout", 86400);
            }
        }
        Files.createDirectories(user.path().resolve(".claude"));
        Files.writeString(user.path().resolve(".claude/settings.json"), settings.toString());
        var own = Json.object("hasCompletedOnboarding", true, "theme", "dark", "bypassPermissionsModeAccepted", true);
        own.putObject("customApiKeyResponses").putArray("approved").add("dummy");
        own.putObject("projects")
                .putObject(user.project().toString())
                .put("hasTrustDialogAccepted", true)
                .put("hasCompletedProjectOnboarding", true);
        own.putObject("mcpServers")
                .putObject("roost")
                .put("type", "stdio")
                .put("command", program.path().toString())
                .putArray("args")
                .add("mcp");
        Files.writeString(user.path().resolve(".claude.json"), own.toString());
    }

    private void open() {
        var plain = new Config(Caps.NONE, 1, Budget.DEFAULT_MAX_OUTPUT);
        var profile = new Profile(
                "worker",
                "claude",
                List.of(),
                Optional.empty(),
                List.of(),
                Permissions.ALL,
                Optional.empty(),
                Map.of());
        var config = new Config(
                        plain.caps(),
                        plain.maxDepth(),
                        plain.maxOutput(),
                        Map.of("worker", new Config.NamedAgent(profile, Budget.ofOutput(plain.maxOutput()))),
                        Optional.of("worker"),
                        plain.asking(),
                        plain.quietAfter(),
                        plain.maxQuiet(),
                        plain.day(),
                        plain.maxAttempts(),
                        plain.prices())
                .with(waking);
        daemon = Optional.of(Daemon.open(
                Home.open(home), config, Optional.of(List.of("worker", "command")), clock, "test", () -> {}));
    }

    /** The daemon goes, and another comes. */
    void reopen() {
        daemon.ifPresent(Daemon::close);
        open();
    }

    Roost roost() {
        return daemon.orElseThrow().roost();
    }

    static String newSession() {
        return UUID.randomUUID().toString();
    }

    /** {@code claude -p} as one turn of that session, begun or resumed. */
    Process begin(String session, boolean resume, String prompt) throws IOException {
        var command = new ArrayList<>(claude);
        command.addAll(List.of("-p", "--permission-mode", "bypassPermissions", "--output-format", "stream-json"));
        command.addAll(List.of("--verbose", resume ? "--resume" : "--session-id", session));
        var process = user.process(command)
                .redirectOutput(user.path().resolve("out").toFile())
                .redirectError(user.path().resolve("err").toFile())
                .start();
        started.add(process);
        try (var in = process.getOutputStream()) {
            in.write(prompt.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
        return process;
    }

    /** One whole turn. */
    void turn(String session, boolean resume, String prompt) throws Exception {
        var process = begin(session, resume, prompt);
        assertThat(process.waitFor(90, java.util.concurrent.TimeUnit.SECONDS))
                .as(this::printed)
                .isTrue();
        assertThat(process.exitValue()).as(this::printed).isZero();
    }

    /** The same with somebody before it. */
    Terminal sit(String session) throws Exception {
        var command = new ArrayList<>(claude);
        command.addAll(List.of("--permission-mode", "bypassPermissions", "--session-id", session));
        return Terminal.open(user.path().resolve("tmux"), user, command);
    }

    /** Waits until the one session there is has reported this. */
    void awaitState(Parent.State state) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> roost().parents().stream()
                        .filter(parent -> parent.harness().equals("claude-code"))
                        .anyMatch(parent -> parent.state() == state));
    }

    private String printed() {
        try {
            return Files.readString(user.path().resolve("out"))
                    + Files.readString(user.path().resolve("err"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    List<Run> runs() {
        return roost().list(Query.of(Query.Which.ALL), PERSON).reversed();
    }

    /** Waits until so many of all runs have ended. */
    void awaitEnds(int n) {
        await().atMost(Duration.ofSeconds(90))
                .until(() -> runs().stream().filter(run -> run.status().ended()).count() >= n);
    }

    /** Requests of conversations in which this was said, oldest first. */
    List<Asked> askedAbout(String mark) {
        return model.asked().stream()
                .filter(asked -> asked.conversation().messages().stream()
                        .anyMatch(message -> message.role() == Conversation.Role.USER
                                && message.text().contains(mark)))
                .toList();
    }

    static String text(Asked asked) {
        var all = new StringBuilder();
        for (var message : asked.conversation().messages())
            all.append(message.role()).append(": ").append(message.text()).append('\n');
        return all.toString();
    }

    /** How often this is said in all that the model was sent with this request. */
    static int count(Asked asked, String words) {
        return text(asked).split(java.util.regex.Pattern.quote(words), -1).length - 1;
    }

    @Override
    public void close() {
        for (var process : started) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        for (var run : roost().list(Query.of(Query.Which.LIVE), PERSON)) roost().stop(run, PERSON);
        daemon.ifPresent(Daemon::close);
        model.close();
    }
}
