package dev.roost.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.Daemon;
import dev.roost.house.Caller;
import dev.roost.house.House;
import dev.roost.ledger.Query;
import dev.roost.ledger.Run;
import dev.roost.run.Owner;
import dev.roost.run.Parent;
import dev.roost.sessions.WakePolicy;
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
final class ParentStage implements AutoCloseable {

    private static final Caller PERSON = new Caller(new Owner("cli:person"), true);
    final ScriptedModel model = ScriptedModel.start();
    final StageClock clock = new StageClock();
    final CliHome user;
    final RoostProgram program;
    final Path home;
    private final ParentHarness harness;
    private final List<String> command;
    private final List<Process> started = new ArrayList<>();
    private List<String> more = List.of();
    private WakePolicy waking = WakePolicy.DEFAULT;
    private Optional<Daemon> daemon = Optional.empty();

    ParentStage(Path directory) throws Exception {
        this(ParentHarness.CLAUDE_CODE, directory);
    }

    ParentStage(ParentHarness harness, Path directory) throws Exception {
        this(harness, directory, true);
    }

    /** Somebody else serves its home. */
    static ParentStage unserved(Path directory) throws Exception {
        return new ParentStage(ParentHarness.CLAUDE_CODE, directory, false);
    }

    private ParentStage(ParentHarness harness, Path directory, boolean serving) throws Exception {
        this.harness = harness;
        home = directory.resolve("home");
        program = RoostProgram.in(directory.resolve("bin"));
        command = Clis.command(harness.cli());
        Files.createSymbolicLink(directory.resolve("bin").resolve(harness.cli().name()), Path.of(command.getLast()));
        user = CliHome.fresh(harness.cli(), Files.createDirectories(directory.resolve("user")), model);
        user.environment().put("ROOST_HOME", home.toString());
        user.environment().put("PATH", directory.resolve("bin") + ":" + System.getenv("PATH"));
        harness.prepare(user);
        program.install(harness.word(), user);
        if (serving) open();
    }

    /** Its tools under the names that another harness's model knows. */
    ParentStage speaking(String dialect) throws IOException {
        harness.speak(user, dialect);
        return this;
    }

    /** Its user has this program too. */
    ParentStage alsoWith(Cli cli) throws Exception {
        Files.createSymbolicLink(
                program.path().resolveSibling(cli.name()),
                Path.of(Clis.command(cli).getLast()));
        cli.environment(user.path(), model.address()).forEach(user.environment()::putIfAbsent);
        return this;
    }

    ParentStage with(WakePolicy policy) {
        waking = policy;
        reopen();
        return this;
    }

    private void open() {
        daemon = Optional.of(StageDaemon.serve(home, harness, waking, clock));
    }

    /** The plugin instead of what was installed, with a monitor instead of its waiting hook. */
    ParentStage withPlugin() throws IOException {
        for (var file : List.of(".claude/settings.json", ".claude/skills/roost/SKILL.md"))
            Files.delete(user.path().resolve(file));
        harness.prepare(user);
        more = List.of("--plugin-dir", ClaudePlugin.in(user.path()).toString());
        return this;
    }

    /** The daemon goes, and another comes. */
    void reopen() {
        reopen(() -> {});
    }

    /** The daemon goes, this happens, and another comes. */
    void reopen(Runnable meanwhile) {
        daemon.ifPresent(Daemon::close);
        meanwhile.run();
        open();
    }

    /** Perch and agent of a run die at once, while no daemon looks. */
    void close(Run run) {
        daemon.ifPresent(Daemon::close);
        daemon = Optional.empty();
        var began = run.latest().began().orElseThrow();
        Stage.kill(began.perch());
        Stage.kill(began.agent());
    }

    /** From here on no daemon can serve this home. */
    void breakHome() throws IOException {
        daemon.ifPresent(Daemon::close);
        daemon = Optional.empty();
        Files.writeString(home.resolve("roost.db"), "not a ledger");
    }

    House house() {
        return daemon.orElseThrow().house();
    }

    static String newSession() {
        return UUID.randomUUID().toString();
    }

    /** One turn of that session without anybody before it, begun or resumed. */
    Process begin(String session, boolean resume, String prompt) throws IOException {
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
    String background(String description, String script) {
        return call(
                "agent",
                "agent=command",
                "run_in_background=true",
                "description=" + description,
                "name=" + description,
                "prompt=" + script);
    }

    /** A step of a script in which one of Roost's tools is called; each field is {@code name=value}. */
    String call(String tool, String... fields) {
        return "mcp:" + harness.tool(tool) + "?"
                + Stream.of(fields)
                        .map(field -> field.split("=", 2))
                        .map(field -> field[0] + "=" + encoded(field[1]))
                        .collect(Collectors.joining("&"));
    }

    /** What the tools have answered since this was said, as the model was sent it. */
    List<JsonNode> answers(String mark) {
        var messages = askedAbout(mark).getLast().conversation().messages();
        int said = IntStream.range(0, messages.size())
                .filter(i -> messages.get(i).role() == Conversation.Role.USER
                        && messages.get(i).text().contains(mark))
                .findFirst()
                .orElseThrow();
        return messages.subList(said, messages.size()).stream()
                .filter(message -> message.role() == Conversation.Role.TOOL)
                .map(message -> fields(message.text()))
                .toList();
    }

    /** Some harnesses show their model the fields of an answer, some its text. */
    private static JsonNode fields(String text) {
        return text.startsWith("{") ? Json.MAPPER.readTree(text) : Json.MAPPER.valueToTree(text);
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** One whole turn. */
    void turn(String session, boolean resume, String prompt) throws Exception {
        var process = begin(session, resume, prompt);
        assertThat(process.waitFor(90, TimeUnit.SECONDS)).as(this::printed).isTrue();
        assertThat(process.exitValue()).as(this::printed).isZero();
    }

    /** A command as its user types it. */
    Process typed(String... words) throws IOException {
        var process = user.process(Stream.concat(Stream.of(program.path().toString()), Stream.of(words))
                        .toList())
                .redirectErrorStream(true)
                .start();
        started.add(process);
        return process;
    }

    /** A session with somebody before it. */
    Terminal sit(String session) throws Exception {
        var words = new ArrayList<>(command);
        words.addAll(harness.sit(session));
        words.addAll(more);
        return Terminal.open(user.path().resolve("tmux"), user, words);
    }

    /** Waits until the one session there is has reported this. */
    void awaitState(Parent.State state) {
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

    List<Run> runs() {
        return house().list(Query.of(Query.Which.ALL), PERSON).reversed();
    }

    /** The runs of one session, oldest first. */
    List<Run> runs(String session) {
        return runs().stream()
                .filter(run -> run.owner().id().endsWith(":" + session))
                .toList();
    }

    /** Waits until so many of all runs have ended. */
    void awaitEnds(int n) {
        awaitEnds(n, this::runs);
    }

    /** Waits until so many of one session's runs have ended. */
    void awaitEnds(int n, String session) {
        awaitEnds(n, () -> runs(session));
    }

    private static void awaitEnds(int n, Supplier<List<Run>> runs) {
        await().atMost(Duration.ofSeconds(90))
                .until(() ->
                        runs.get().stream().filter(run -> run.status().ended()).count() >= n);
    }

    /** Requests of conversations in which this was said, oldest first. */
    List<Asked> askedAbout(String mark) {
        return model.asked().stream()
                .filter(asked -> asked.conversation().messages().stream()
                        .anyMatch(message -> message.role() == Conversation.Role.USER
                                && message.text().contains(mark)))
                .toList();
    }

    /** All that the model was sent, for a test that fails. */
    String asked() {
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
            for (var run : open.house().list(Query.of(Query.Which.LIVE), PERSON))
                open.house().stop(run, PERSON);
            open.close();
        });
        model.close();
    }
}
