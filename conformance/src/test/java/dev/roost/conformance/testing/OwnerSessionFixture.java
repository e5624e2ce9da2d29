package dev.roost.conformance.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.config.WakePolicy;
import dev.roost.conformance.agents.AgentCli;
import dev.roost.conformance.agents.AgentCliCatalog;
import dev.roost.conformance.agents.AgentCliHome;
import dev.roost.conformance.agents.ClaudeCodePlugin;
import dev.roost.conformance.agents.OwnerHarness;
import dev.roost.conformance.model.JsonObjects;
import dev.roost.conformance.model.ModelRequest;
import dev.roost.conformance.model.RequestRecord;
import dev.roost.conformance.model.ScriptedModel;
import dev.roost.daemon.Daemon;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Caller;
import dev.roost.model.Owner;
import dev.roost.model.OwnerSession;
import dev.roost.service.RoostService;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** A real harness with an owner's session, connected to a Roost, both using a scripted model. Everything ends with the test. */
public final class OwnerSessionFixture implements AutoCloseable {

    private static final Caller PERSON = new Caller(new Owner("cli:person"), true);
    public final ScriptedModel model = ScriptedModel.start();
    public final SimulatedSleepClock clock = new SimulatedSleepClock();
    public final AgentCliHome user;
    public final RoostProgram program;
    final Path home;
    private final OwnerHarness harness;
    private final List<String> command;
    private final List<Process> started = new ArrayList<>();
    private List<String> more = List.of();
    private WakePolicy wakes = WakePolicy.DEFAULT;
    private Optional<Daemon> daemon = Optional.empty();

    public OwnerSessionFixture(Path directory) throws Exception {
        this(OwnerHarness.CLAUDE_CODE, directory);
    }

    public OwnerSessionFixture(OwnerHarness harness, Path directory) throws Exception {
        this(harness, directory, true);
    }

    /** Another process serves its home. */
    static OwnerSessionFixture unserved(Path directory) throws Exception {
        return new OwnerSessionFixture(OwnerHarness.CLAUDE_CODE, directory, false);
    }

    private OwnerSessionFixture(OwnerHarness harness, Path directory, boolean serving) throws Exception {
        this.harness = harness;
        home = directory.resolve("home");
        program = RoostProgram.in(directory.resolve("bin"));
        command = AgentCliCatalog.command(harness.cli());
        Files.createSymbolicLink(directory.resolve("bin").resolve(harness.cli().name()), Path.of(command.getLast()));
        user = AgentCliHome.fresh(harness.cli(), Files.createDirectories(directory.resolve("user")), model);
        user.environment().put("ROOST_HOME", home.toString());
        user.environment().put("PATH", directory.resolve("bin") + ":" + System.getenv("PATH"));
        harness.prepare(user);
        program.install(harness.word(), user);
        if (serving) open();
    }

    /** Serves its tools under the names of another harness's dialect. */
    public OwnerSessionFixture speaking(String dialect) throws IOException {
        harness.speak(user, dialect);
        return this;
    }

    /** Installs this program for its user. */
    public OwnerSessionFixture alsoWith(AgentCli agentCli) throws Exception {
        Files.createSymbolicLink(
                program.path().resolveSibling(agentCli.name()),
                Path.of(AgentCliCatalog.command(agentCli).getLast()));
        agentCli.environment(user.path(), model.address()).forEach(user.environment()::putIfAbsent);
        return this;
    }

    public OwnerSessionFixture with(WakePolicy policy) {
        wakes = policy;
        reopen();
        return this;
    }

    private void open() {
        daemon = Optional.of(FixtureDaemonMain.serve(home, harness, wakes, clock));
    }

    /** Uses the plugin with a monitor in place of the installed waiting hook. */
    public OwnerSessionFixture withPlugin() throws IOException {
        for (var file : List.of(".claude/settings.json", ".claude/skills/roost/SKILL.md"))
            Files.delete(user.path().resolve(file));
        harness.prepare(user);
        more = List.of("--plugin-dir", ClaudeCodePlugin.in(user.path()).toString());
        return this;
    }

    /** Restarts the daemon. */
    public void reopen() {
        reopen(() -> {});
    }

    /** Stops the daemon, does this, and starts another. */
    public void reopen(Runnable meanwhile) {
        daemon.ifPresent(Daemon::close);
        meanwhile.run();
        open();
    }

    /** Kills perch and agent of a run at once while no daemon runs. */
    public void close(RunRecord run) {
        daemon.ifPresent(Daemon::close);
        daemon = Optional.empty();
        var startedProcesses = run.latest().began().orElseThrow();
        SingleAgentFixture.kill(startedProcesses.perch());
        SingleAgentFixture.kill(startedProcesses.agent());
    }

    /** From now on no daemon can serve this home. */
    public void breakHome() throws IOException {
        daemon.ifPresent(Daemon::close);
        daemon = Optional.empty();
        Files.writeString(home.resolve("roost.db"), "not a ledger");
    }

    public RoostService service() {
        return daemon.orElseThrow().service();
    }

    public static String newSession() {
        return UUID.randomUUID().toString();
    }

    /** A headless turn of that session, new or resumed. */
    public Process begin(String session, boolean resume, String prompt) throws IOException {
        var words = new ArrayList<>(command);
        words.addAll(harness.turn(session, resume));
        var process = user.process(words)
                .redirectOutput(user.path().resolve("out").toFile())
                .redirectError(user.path().resolve("err").toFile())
                .start();
        started.add(process);
        try (var in = process.getOutputStream()) {
            in.write(prompt.getBytes(StandardCharsets.UTF_8));
        }
        return process;
    }

    /** A script step that starts a command in the background. */
    public String background(String description, String script) {
        return call(
                "agent",
                "agent=command",
                "run_in_background=true",
                "description=" + description,
                "name=" + description,
                "prompt=" + script);
    }

    /** A script step that calls one of Roost's tools; each field is {@code name=value}. */
    public String call(String tool, String... fields) {
        return "mcp:" + harness.tool(tool) + "?"
                + Stream.of(fields)
                        .map(field -> field.split("=", 2))
                        .map(field -> field[0] + "=" + encoded(field[1]))
                        .collect(Collectors.joining("&"));
    }

    /** The answers of tools since this text, as sent to the model. */
    public List<JsonNode> answers(String mark) {
        var messages = askedAbout(mark).getLast().modelRequest().messages();
        int start = IntStream.range(0, messages.size())
                .filter(i -> messages.get(i).role() == ModelRequest.Role.USER
                        && messages.get(i).text().contains(mark))
                .findFirst()
                .orElseThrow();
        return messages.subList(start, messages.size()).stream()
                .filter(message -> message.role() == ModelRequest.Role.TOOL)
                .map(message -> fields(message.text()))
                .toList();
    }

    /** Some harnesses send the model the fields of an answer, some its text. */
    private static JsonNode fields(String text) {
        return text.startsWith("{") ? JsonObjects.MAPPER.readTree(text) : JsonObjects.MAPPER.valueToTree(text);
    }

    public static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** A whole turn. */
    public void turn(String session, boolean resume, String prompt) throws Exception {
        var process = begin(session, resume, prompt);
        assertThat(process.waitFor(90, TimeUnit.SECONDS)).as(this::printed).isTrue();
        assertThat(process.exitValue()).as(this::printed).isZero();
    }

    /** A command of its user. */
    public Process typed(String... words) throws IOException {
        var process = user.process(Stream.concat(Stream.of(program.path().toString()), Stream.of(words))
                        .toList())
                .redirectErrorStream(true)
                .start();
        started.add(process);
        return process;
    }

    /** An interactive session. */
    public TmuxTerminal sit(String session) throws Exception {
        var words = new ArrayList<>(command);
        words.addAll(harness.sit(session));
        words.addAll(more);
        return TmuxTerminal.open(user.path().resolve("tmux"), user, words);
    }

    /** Waits until the only session has reported this event. */
    public void awaitState(OwnerSession.SessionState state) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> service().sessions().all().stream()
                        .filter(parent -> parent.harness().equals(harness.word()))
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

    public List<RunRecord> runs() {
        return service().list(RunQuery.of(RunQuery.StatusFilter.ALL), PERSON).reversed();
    }

    /** The runs of one session, oldest first. */
    public List<RunRecord> runs(String session) {
        return runs().stream()
                .filter(run -> run.owner().id().endsWith(":" + session))
                .toList();
    }

    /** Waits until so many runs have ended. */
    public void awaitEnds(int n) {
        awaitEnds(n, this::runs);
    }

    /** Waits until so many of one session's runs have ended. */
    public void awaitEnds(int n, String session) {
        awaitEnds(n, () -> runs(session));
    }

    private static void awaitEnds(int n, Supplier<List<RunRecord>> runs) {
        await().atMost(Duration.ofSeconds(90))
                .until(() ->
                        runs.get().stream().filter(run -> run.status().ended()).count() >= n);
    }

    /** Requests of conversations with this text, oldest first. */
    public List<RequestRecord> askedAbout(String mark) {
        return model.asked().stream()
                .filter(requestRecord -> requestRecord.modelRequest().messages().stream()
                        .anyMatch(message -> message.role() == ModelRequest.Role.USER
                                && message.text().contains(mark)))
                .toList();
    }

    /** All requests to the model, to explain a failure. */
    public String asked() {
        var all = new StringBuilder(printed());
        model.asked()
                .forEach(one ->
                        all.append("\n=== ").append(one.answer()).append('\n').append(one.text()));
        return all.toString();
    }

    @Override
    public void close() {
        for (var process : started) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        daemon.ifPresent(open -> {
            for (var run : open.service().list(RunQuery.of(RunQuery.StatusFilter.LIVE), PERSON))
                open.service().stop(run, PERSON);
            open.close();
        });
        model.close();
    }
}
