package dev.roost.conformance;

import static dev.roost.conformance.Json.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.luggage.Limits;
import dev.roost.luggage.Luggages;
import dev.roost.luggage.Seat;
import dev.roost.luggage.Traveller;
import dev.roost.run.RunId;
import dev.roost.worktrees.CheckpointLimits;
import dev.roost.worktrees.Worktrees;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * A conversation that a real CLI had under one home and in one directory is gone on with under another home in another
 * directory: the model hears all that was said before.
 */
@Timeout(300)
class MovingTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    /** Neither what the user asked for nor the call itself. */
    private static final Pattern TOOL_SAID = Pattern.compile("(?<!%20|echo )feather");

    private static final RunId RUN = new RunId("r_0123456789ab");
    private static final String FIRST = "Remember the heron. SCRIPT=bash?cmd=echo%20feather|first answer";
    private static final String SECOND = "SCRIPT=bash?cmd=pwd|second answer";
    private static final String CLAUDE_ID = "5f0f2c2e-9a9a-4d67-9d0c-3f6f3c1f6a11";
    private static final List<String> CLAUDE =
            List.of("-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions");
    private static final List<String> CODEX =
            List.of("exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox");
    private static final List<String> GEMINI = List.of("--output-format", "stream-json", "--approval-mode", "yolo");
    private static final List<String> OPENCODE = List.of("run", "--format", "json", "--auto");

    @TempDir
    Path directory;

    private final List<Process> started = new ArrayList<>();
    private ScriptedModel model;

    @BeforeEach
    void start() throws IOException {
        model = ScriptedModel.start();
    }

    @AfterEach
    void stop() {
        for (var process : started) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        model.close();
    }

    @Test
    void claude_goes_on_elsewhere() throws Exception {
        goesOn(
                Clis.CLAUDE,
                with(CLAUDE, "--session-id", CLAUDE_ID),
                with(CLAUDE, "--resume", CLAUDE_ID),
                _ -> CLAUDE_ID);
    }

    @Test
    void codex_goes_on_elsewhere() throws Exception {
        goesOn(
                Clis.CODEX,
                with(CODEX, "-"),
                with(CODEX, "resume", "ID", "-"),
                run -> run.last("thread.started").path("thread_id").asString());
    }

    @Test
    void gemini_goes_on_elsewhere() throws Exception {
        goesOn(
                Clis.GEMINI,
                GEMINI,
                with(GEMINI, "--resume", "ID"),
                run -> run.last("init").path("session_id").asString());
    }

    @Test
    void opencode_goes_on_elsewhere() throws Exception {
        goesOn(
                Clis.OPENCODE,
                OPENCODE,
                with(OPENCODE, "--session", "ID"),
                run -> run.last("step_finish").path("sessionID").asString());
    }

    @Test
    void claude_goes_on_elsewhere_from_the_middle_of_its_turn() throws Exception {
        goesOnFromTheMiddle(
                Clis.CLAUDE,
                with(CLAUDE, "--session-id", CLAUDE_ID),
                with(CLAUDE, "--resume", CLAUDE_ID),
                "session_id");
    }

    @Test
    void codex_goes_on_elsewhere_from_the_middle_of_its_turn() throws Exception {
        goesOnFromTheMiddle(Clis.CODEX, with(CODEX, "-"), with(CODEX, "resume", "ID", "-"), "thread_id");
    }

    @Test
    void gemini_goes_on_elsewhere_from_the_middle_of_its_turn() throws Exception {
        goesOnFromTheMiddle(Clis.GEMINI, GEMINI, with(GEMINI, "--resume", "ID"), "session_id");
    }

    @Test
    void opencode_goes_on_elsewhere_from_the_middle_of_its_turn() throws Exception {
        goesOnFromTheMiddle(Clis.OPENCODE, OPENCODE, with(OPENCODE, "--session", "ID"), "sessionID");
    }

    @Test
    void claude_goes_on_elsewhere_over_acp() throws Exception {
        goesOnOverAcp(Clis.CLAUDE_ACP);
    }

    @Test
    void codex_goes_on_elsewhere_over_acp() throws Exception {
        goesOnOverAcp(Clis.CODEX_ACP);
    }

    @Test
    void gemini_goes_on_elsewhere_over_acp() throws Exception {
        goesOnOverAcp(Clis.GEMINI, "--acp");
    }

    @Test
    void opencode_goes_on_elsewhere_over_acp() throws Exception {
        goesOnOverAcp(Clis.OPENCODE, "acp");
    }

    private interface SessionOf {
        String read(CliRun run);
    }

    /** There, and back again, where the same conversation has another end that nobody went on from. */
    private void goesOn(Cli cli, List<String> begin, List<String> resume, SessionOf session) throws Exception {
        var here = home(cli, "here");
        var there = home(cli, "over/there");
        var first = CliRun.of(here, command(cli, begin), FIRST);
        assertThat(first.exit()).as(first.errors()).isZero();
        var id = session.read(first);

        move(cli, cli.name(), id, here, there);
        says(here, command(cli, named(resume, id)), "SCRIPT=never packed");
        says(there, command(cli, named(resume, id)), SECOND);
        heardAll("first answer");
        assertThat(last().conversation().toolResults().getLast())
                .contains(there.project().toRealPath().toString());

        move(cli, cli.name(), id, there, here);
        says(here, command(cli, named(resume, id)), "SCRIPT=third answer");
        heardAll("first answer", "second answer");
        assertThat(last().conversation().messages())
                .noneMatch(message -> message.text().contains("never packed"));
    }

    private static void says(CliHome home, List<String> command, String prompt) throws Exception {
        var run = CliRun.of(home, command, prompt);
        assertThat(run.exit()).as(run.errors()).isZero();
    }

    /** It is packed while it waits for a tool, and its machine is gone a moment later. */
    private void goesOnFromTheMiddle(Cli cli, List<String> begin, List<String> resume, String field) throws Exception {
        var here = home(cli, "here");
        var there = home(cli, "over/there");
        var wait = "bash?cmd=" + ParentStage.encoded("until [ -e enough ]; do sleep 0.1; done");
        var process = here.process(command(cli, begin))
                .redirectOutput(here.path().resolve("out").toFile())
                .redirectError(here.path().resolve("err").toFile())
                .start();
        started.add(process);
        try (var in = process.getOutputStream()) {
            in.write(FIRST.replace("|first", "|" + wait + "|first").getBytes(StandardCharsets.UTF_8));
        }
        await().atMost(SOON)
                .until(() -> model.asked().stream()
                        .anyMatch(asked -> asked.answer() instanceof Step.Shell(var line) && line.contains("enough")));
        var id = cli instanceof ClaudeCli ? CLAUDE_ID : sessionIn(here.path().resolve("out"), field);

        // it asks the model for more before it has written down all that it was told
        var packed = await().atMost(SOON).until(() -> pack(cli, cli.name(), id, here), MovingTest::hasToolResult);
        process.destroyForcibly();
        process.waitFor();
        unpack(cli, id, packed.orElseThrow(), there);
        Files.createFile(here.project().resolve("enough")); // so that its shell ends too
        var second = CliRun.of(there, command(cli, named(resume, id)), SECOND);

        assertThat(second.exit()).as(second.errors()).isZero();
        heardAll();
    }

    private static boolean hasToolResult(Optional<byte[]> packed) {
        return packed.filter(bytes -> TOOL_SAID
                        .matcher(new String(bytes, StandardCharsets.ISO_8859_1))
                        .find())
                .isPresent();
    }

    private static String sessionIn(Path out, String field) {
        return await().atMost(SOON)
                .ignoreExceptions() // a line may be there in part
                .until(
                        () -> Files.readAllLines(out).stream()
                                .filter(line -> line.startsWith("{") && line.endsWith("}"))
                                .map(Json.MAPPER::readTree)
                                .flatMap(line -> line.path(field).asStringOpt().stream())
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    private void goesOnOverAcp(Cli cli, String... words) throws Exception {
        var here = home(cli, "here");
        var there = home(cli, "over/there");
        String id;
        try (var agent = talk(cli, here, words)) {
            var opened = agent.call("session/new", place(here));
            id = opened.path("sessionId").asString();
            prompt(agent, cli, id, FIRST);
        }

        move(cli, "acp", id, here, there);
        try (var agent = talk(cli, there, words)) {
            var place = place(there);
            place.put("sessionId", id);
            agent.call("session/load", place);
            prompt(agent, cli, id, SECOND);
        }

        heardAll("first answer");
    }

    private AcpTalk talk(Cli cli, CliHome home, String... words) throws Exception {
        var agent = new AcpTalk(home, command(cli, List.of(words)));
        agent.call("initialize", object("protocolVersion", 1, "clientCapabilities", object()));
        return agent;
    }

    private static tools.jackson.databind.node.ObjectNode place(CliHome home) {
        return object("cwd", home.project().toString(), "mcpServers", List.of());
    }

    private static void prompt(AcpTalk agent, Cli cli, String id, String text) throws IOException {
        if (cli instanceof CodexAcp) // its sandbox needs a program that not every machine has
        agent.call("session/set_mode", object("sessionId", id, "modeId", "full-access"));
        JsonNode end = agent.call(
                "session/prompt", object("sessionId", id, "prompt", List.of(object("type", "text", "text", text))));
        assertThat(end.path("stopReason").asString()).isEqualTo("end_turn");
    }

    private CliHome home(Cli cli, String name) throws IOException {
        return CliHome.fresh(cli, Files.createDirectories(directory.resolve(name)), model);
    }

    /** Through bytes, as between two machines. */
    private void move(Cli cli, String driver, String session, CliHome from, CliHome to) throws Exception {
        var packed = pack(cli, driver, session, from);
        assertThat(packed).as("the conversation").isPresent();
        unpack(cli, session, packed.orElseThrow(), to);
    }

    /** Empty if it has no conversation yet. */
    private static Optional<byte[]> pack(Cli cli, String driver, String session, CliHome from) throws Exception {
        var bytes = new ByteArrayOutputStream();
        var seat = new Seat(Clis.command(cli), from.environment(), from.project());
        var traveller = new Traveller(RUN, 1, driver, seat, Optional.of(session), Optional.empty(), Optional.empty());
        try (var luggage = luggages(from).pack(traveller)) {
            if (luggage.conversation().isEmpty()) return Optional.empty();
            luggage.write(bytes);
        }
        return Optional.of(bytes.toByteArray());
    }

    private static void unpack(Cli cli, String session, byte[] packed, CliHome to) throws Exception {
        try (var luggage = luggages(to).read(new ByteArrayInputStream(packed))) {
            var place = new Seat(Clis.command(cli), to.environment(), to.project());
            assertThat(luggages(to).unpackConversation(luggage, place)).contains(session);
        }
    }

    private static Luggages luggages(CliHome home) {
        return new Luggages(new Worktrees(CheckpointLimits.DEFAULT), home.path().resolve("scratch"), Limits.DEFAULT);
    }

    /** What the model was asked last; a title is no question. */
    private Asked last() {
        return model.asked().reversed().stream()
                .filter(asked -> !asked.conversation().tools().isEmpty())
                .findFirst()
                .orElseThrow();
    }

    /** It had what the user said first, what the tool said then, and these answers. */
    private void heardAll(String... answers) {
        var conversation = last().conversation();
        assertThat(conversation.messages())
                .anyMatch(message -> message.role() == Conversation.Role.USER
                        && message.text().contains("Remember the heron."));
        assertThat(conversation.toolResults()).anyMatch(result -> result.contains("feather"));
        for (var answer : answers)
            assertThat(conversation.messages())
                    .anyMatch(message -> message.role() == Conversation.Role.MODEL
                            && message.text().contains(answer));
    }

    private static List<String> with(List<String> words, String... more) {
        return Stream.concat(words.stream(), Stream.of(more)).toList();
    }

    private static List<String> named(List<String> words, String session) {
        return words.stream().map(word -> word.equals("ID") ? session : word).toList();
    }

    private static List<String> command(Cli cli, List<String> words) throws Exception {
        return Stream.concat(Clis.command(cli).stream(), words.stream()).toList();
    }
}
