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

/** A real harness as parent session, wired to a Roost, both talking to a scripted model. Nothing of it outlives its test. */
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

    /** Somebody else serves its home. */
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

    /** Its tools under the names that another harness's model knows. */
    public OwnerSessionFixture speaking(String dialect) throws IOException {
        harness.speak(user, dialect);
        return this;
    }

    /** Its user has this program too. */
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

    /** The plugin instead of what was installed, with a monitor instead of its waiting hook. */
    public OwnerSessionFixture withPlugin() throws IOException {
        for (var file : List.of(".claude/settings.json", ".claude/skills/roost/SKILL.md"))
            Files.delete(user.path().resolve(file));
        harness.prepare(user);
        more = List.of("--plugin-dir", ClaudeCodePlugin.in(user.path()).toString());
        return this;
    }

    /** The daemon goes, and another comes. */
    public void reopen() {
        reopen(() -> {});
    }

    /** The daemon goes, this happens, and another comes. */
    public void reopen(Runnable meanwhile) {
        daemon.ifPresent(Daemon::close);
        meanwhile.run();
        open();
    }

    /** Perch and agent of a run die at once, while no daemon looks. */
    public void close(RunRecord run) {
        daemon.ifPresent(Daemon::close);
        daemon = Optional.empty();
        var startedProcesses = run.latest().began().orElseThrow();
        SingleAgentFixture.kill(startedProcesses.perch());
        SingleAgentFixture.kill(startedProcesses.agent());
    }

    /** From here on no daemon can serve this home. */
    public void breakHome() throws IOException {
        daemon.ifPresent(Daemon::close);
        daemon = Optional.empty();
        Files.writeString(home.resolve("roost.db"), "not a ledger");
    }

    public RoostService house() {
        return daemon.orElseThrow().house();
    }

    public static String newSession() {
        return UUID.randomUUID().toString();
    }

    /** One turn of that session without anybody before it, begun or resumed. */
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

    /** A step of a script in which a command is started in the background. */
    public String background(String description, String script) {
        return call(
                "agent",
                "agent=command",
                "run_in_background=true",
                "description=" + description,
                "name=" + description,
                "prompt=" + script);
    }

    /** A step of a script in which one of Roost's tools is called; each field is {@code name=value}. */
    public String call(String tool, String... fields) {
        return "mcp:" + harness.tool(tool) + "?"
                + Stream.of(fields)
                        .map(field -> field.split("=", 2))
                        .map(field -> field[0] + "=" + encoded(field[1]))
                        .collect(Collectors.joining("&"));
    }

    /** What the tools have answered since this was said, as the model was sent it. */
    public List<JsonNode> answers(String mark) {
        var messages = askedAbout(mark).getLast().modelRequest().messages();
        int said = IntStream.range(0, messages.size())
                .filter(i -> messages.get(i).role() == ModelRequest.Role.USER
                        && messages.get(i).text().contains(mark))
                .findFirst()
                .orElseThrow();
        return messages.subList(said, messages.size()).stream()
                .filter(message -> message.role() == ModelRequest.Role.TOOL)
                .map(message -> fields(message.text()))
                .toList();
    }

    /** Some harnesses show their model the fields of an answer, some its text. */
    private static JsonNode fields(String text) {
        return text.startsWith("{") ? JsonObjects.MAPPER.readTree(text) : JsonObjects.MAPPER.valueToTree(text);
    }

    public static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** One whole turn. */
    public void turn(String session, boolean resume, String prompt) throws Exception {
        var process = begin(session, resume, prompt);
        assertThat(process.waitFor(90, TimeUnit.SECONDS)).as(this::printed).isTrue();
        assertThat(process.exitValue()).as(this::printed).isZero();
    }

    /** A command as its user types it. */
    public Process typed(String... words) throws IOException {
        var process = user.process(Stream.concat(Stream.of(program.path().toString()), Stream.of(words))
                        .toList())
                .redirectErrorStream(true)
                .start();
        started.add(process);
        return process;
    }

    /** A session with somebody before it. */
    public TmuxTerminal sit(String session) throws Exception {
        var words = new ArrayList<>(command);
        words.addAll(harness.sit(session));
        words.addAll(more);
        return TmuxTerminal.open(user.path().resolve("tmux"), user, words);
    }

    /** Waits until the one session there is has reported this. */
    public void awaitState(OwnerSession.SessionState state) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> house().sessions().all().stream()
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
        return house().list(RunQuery.of(RunQuery.StatusFilter.ALL), PERSON).reversed();
    }

    /** The runs of one session, oldest first. */
    public List<RunRecord> runs(String session) {
        return runs().stream()
                .filter(run -> run.owner().id().endsWith(":" + session))
                .toList();
    }

    /** Waits until so many of all runs have ended. */
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

    /** Requests of conversations in which this was said, oldest first. */
    public List<RequestRecord> askedAbout(String mark) {
        return model.asked().stream()
                .filter(requestRecord -> requestRecord.modelRequest().messages().stream()
                        .anyMatch(message -> message.role() == ModelRequest.Role.USER
                                && message.text().contains(mark)))
                .toList();
    }

    /** All that the model was sent, for a test that fails. */
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
            for (var run : open.house().list(RunQuery.of(RunQuery.StatusFilter.LIVE), PERSON))
                open.house().stop(run, PERSON);
            open.close();
        });
        model.close();
    }
}
