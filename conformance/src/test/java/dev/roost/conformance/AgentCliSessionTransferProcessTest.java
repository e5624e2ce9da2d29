package dev.roost.conformance;

import static dev.roost.conformance.model.JsonObjects.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.conformance.agents.AgentCli;
import dev.roost.conformance.agents.AgentCliCatalog;
import dev.roost.conformance.agents.AgentCliHome;
import dev.roost.conformance.agents.AgentCliRun;
import dev.roost.conformance.agents.ClaudeCli;
import dev.roost.conformance.agents.CodexAcpCli;
import dev.roost.conformance.agents.MinimalAcpClient;
import dev.roost.conformance.model.JsonObjects;
import dev.roost.conformance.model.ModelRequest;
import dev.roost.conformance.model.RequestRecord;
import dev.roost.conformance.model.ScriptStep;
import dev.roost.conformance.model.ScriptedModel;
import dev.roost.conformance.testing.OwnerSessionFixture;
import dev.roost.git.checkpoint.CheckpointLimits;
import dev.roost.git.worktree.GitWorktrees;
import dev.roost.model.RunId;
import dev.roost.transfer.AgentLocation;
import dev.roost.transfer.BundleLimits;
import dev.roost.transfer.BundlePacker;
import dev.roost.transfer.BundleSource;
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
 * A conversation of a real CLI in one home and directory is continued in another home and directory. The model receives the whole
 * conversation.
 */
@Timeout(300)
class AgentCliSessionTransferProcessTest {

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
    void claude_continues_elsewhere() throws Exception {
        goesOn(
                AgentCliCatalog.CLAUDE,
                with(CLAUDE, "--session-id", CLAUDE_ID),
                with(CLAUDE, "--resume", CLAUDE_ID),
                _ -> CLAUDE_ID);
    }

    @Test
    void codex_continues_elsewhere() throws Exception {
        goesOn(
                AgentCliCatalog.CODEX,
                with(CODEX, "-"),
                with(CODEX, "resume", "ID", "-"),
                run -> run.last("thread.started").path("thread_id").asString());
    }

    @Test
    void gemini_continues_elsewhere() throws Exception {
        goesOn(
                AgentCliCatalog.GEMINI,
                GEMINI,
                with(GEMINI, "--resume", "ID"),
                run -> run.last("init").path("session_id").asString());
    }

    @Test
    void opencode_continues_elsewhere() throws Exception {
        goesOn(
                AgentCliCatalog.OPENCODE,
                OPENCODE,
                with(OPENCODE, "--session", "ID"),
                run -> run.last("step_finish").path("sessionID").asString());
    }

    @Test
    void claude_continues_elsewhere_in_the_middle_of_its_turn() throws Exception {
        goesOnFromTheMiddle(
                AgentCliCatalog.CLAUDE,
                with(CLAUDE, "--session-id", CLAUDE_ID),
                with(CLAUDE, "--resume", CLAUDE_ID),
                "session_id");
    }

    @Test
    void codex_continues_elsewhere_in_the_middle_of_its_turn() throws Exception {
        goesOnFromTheMiddle(AgentCliCatalog.CODEX, with(CODEX, "-"), with(CODEX, "resume", "ID", "-"), "thread_id");
    }

    @Test
    void gemini_continues_elsewhere_in_the_middle_of_its_turn() throws Exception {
        goesOnFromTheMiddle(AgentCliCatalog.GEMINI, GEMINI, with(GEMINI, "--resume", "ID"), "session_id");
    }

    @Test
    void opencode_continues_elsewhere_in_the_middle_of_its_turn() throws Exception {
        goesOnFromTheMiddle(AgentCliCatalog.OPENCODE, OPENCODE, with(OPENCODE, "--session", "ID"), "sessionID");
    }

    @Test
    void claude_continues_elsewhere_over_acp() throws Exception {
        goesOnOverAcp(AgentCliCatalog.CLAUDE_ACP);
    }

    @Test
    void codex_continues_elsewhere_over_acp() throws Exception {
        goesOnOverAcp(AgentCliCatalog.CODEX_ACP);
    }

    @Test
    void gemini_continues_elsewhere_over_acp() throws Exception {
        goesOnOverAcp(AgentCliCatalog.GEMINI, "--acp");
    }

    @Test
    void opencode_continues_elsewhere_over_acp() throws Exception {
        goesOnOverAcp(AgentCliCatalog.OPENCODE, "acp");
    }

    private interface SessionOf {
        String read(AgentCliRun run);
    }

    /** Transfers it there and back, where the same conversation has an older end that was not continued. */
    private void goesOn(AgentCli agentCli, List<String> begin, List<String> resume, SessionOf session)
            throws Exception {
        var here = home(agentCli, "here");
        var there = home(agentCli, "over/there");
        var first = AgentCliRun.of(here, command(agentCli, begin), FIRST);
        assertThat(first.exit()).as(first.errors()).isZero();
        var id = session.read(first);

        move(agentCli, agentCli.name(), id, here, there);
        runTurn(here, command(agentCli, named(resume, id)), "SCRIPT=never packed");
        runTurn(there, command(agentCli, named(resume, id)), SECOND);
        heardAll("first answer");
        assertThat(last().modelRequest().toolResults().getLast())
                .contains(there.project().toRealPath().toString());

        move(agentCli, agentCli.name(), id, there, here);
        runTurn(here, command(agentCli, named(resume, id)), "SCRIPT=third answer");
        heardAll("first answer", "second answer");
        assertThat(last().modelRequest().messages())
                .noneMatch(message -> message.text().contains("never packed"));
    }

    private static void runTurn(AgentCliHome home, List<String> command, String prompt) throws Exception {
        var run = AgentCliRun.of(home, command, prompt);
        assertThat(run.exit()).as(run.errors()).isZero();
    }

    /** Packs the conversation while it waits for a tool; its machine is lost a moment later. */
    private void goesOnFromTheMiddle(AgentCli agentCli, List<String> begin, List<String> resume, String field)
            throws Exception {
        var here = home(agentCli, "here");
        var there = home(agentCli, "over/there");
        var wait = "bash?cmd=" + OwnerSessionFixture.encoded("until [ -e enough ]; do sleep 0.1; done");
        var process = here.process(command(agentCli, begin))
                .redirectOutput(here.path().resolve("out").toFile())
                .redirectError(here.path().resolve("err").toFile())
                .start();
        started.add(process);
        try (var in = process.getOutputStream()) {
            in.write(FIRST.replace("|first", "|" + wait + "|first").getBytes(StandardCharsets.UTF_8));
        }
        await().atMost(SOON)
                .until(() -> model.asked().stream()
                        .anyMatch(requestRecord -> requestRecord.answer() instanceof ScriptStep.Shell(var line)
                                && line.contains("enough")));
        var id = agentCli instanceof ClaudeCli
                ? CLAUDE_ID
                : sessionIn(here.path().resolve("out"), field);

        // it sends the next request before it has written the tool's result to its conversation
        var packed = await().atMost(SOON)
                .until(
                        () -> pack(agentCli, agentCli.name(), id, here),
                        AgentCliSessionTransferProcessTest::hasToolResult);
        process.destroyForcibly();
        process.waitFor();
        unpack(agentCli, id, packed.orElseThrow(), there);
        Files.createFile(here.project().resolve("enough")); // so that its shell ends too
        var second = AgentCliRun.of(there, command(agentCli, named(resume, id)), SECOND);

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
                .ignoreExceptions() // a line may be incomplete
                .until(
                        () -> Files.readAllLines(out).stream()
                                .filter(line -> line.startsWith("{") && line.endsWith("}"))
                                .map(JsonObjects.MAPPER::readTree)
                                .flatMap(line -> line.path(field).asStringOpt().stream())
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    private void goesOnOverAcp(AgentCli agentCli, String... words) throws Exception {
        var here = home(agentCli, "here");
        var there = home(agentCli, "over/there");
        String id;
        try (var agent = talk(agentCli, here, words)) {
            var opened = agent.call("session/new", place(here));
            id = opened.path("sessionId").asString();
            prompt(agent, agentCli, id, FIRST);
        }

        move(agentCli, "acp", id, here, there);
        try (var agent = talk(agentCli, there, words)) {
            var place = place(there);
            place.put("sessionId", id);
            agent.call("session/load", place);
            prompt(agent, agentCli, id, SECOND);
        }

        heardAll("first answer");
    }

    private MinimalAcpClient talk(AgentCli agentCli, AgentCliHome home, String... words) throws Exception {
        var agent = new MinimalAcpClient(home, command(agentCli, List.of(words)));
        agent.call("initialize", object("protocolVersion", 1, "clientCapabilities", object()));
        return agent;
    }

    private static tools.jackson.databind.node.ObjectNode place(AgentCliHome home) {
        return object("cwd", home.project().toString(), "mcpServers", List.of());
    }

    private static void prompt(MinimalAcpClient agent, AgentCli agentCli, String id, String text) throws IOException {
        if (agentCli instanceof CodexAcpCli) // its sandbox needs bubblewrap
        agent.call("session/set_mode", object("sessionId", id, "modeId", "full-access"));
        JsonNode end = agent.call(
                "session/prompt", object("sessionId", id, "prompt", List.of(object("type", "text", "text", text))));
        assertThat(end.path("stopReason").asString()).isEqualTo("end_turn");
    }

    private AgentCliHome home(AgentCli agentCli, String name) throws IOException {
        return AgentCliHome.fresh(agentCli, Files.createDirectories(directory.resolve(name)), model);
    }

    /** Passes it as bytes, as between two machines. */
    private void move(AgentCli agentCli, String driver, String session, AgentCliHome from, AgentCliHome to)
            throws Exception {
        var packed = pack(agentCli, driver, session, from);
        assertThat(packed).as("the conversation").isPresent();
        unpack(agentCli, session, packed.orElseThrow(), to);
    }

    /** Empty if it has no conversation yet. */
    private static Optional<byte[]> pack(AgentCli agentCli, String driver, String session, AgentCliHome from)
            throws Exception {
        var bytes = new ByteArrayOutputStream();
        var location = new AgentLocation(AgentCliCatalog.command(agentCli), from.environment(), from.project());
        var source =
                new BundleSource(RUN, 1, driver, location, Optional.of(session), Optional.empty(), Optional.empty());
        try (var bundle = packer(from).pack(source)) {
            if (bundle.conversation().isEmpty()) return Optional.empty();
            bundle.write(bytes);
        }
        return Optional.of(bytes.toByteArray());
    }

    private static void unpack(AgentCli agentCli, String session, byte[] packed, AgentCliHome to) throws Exception {
        try (var bundle = packer(to).read(new ByteArrayInputStream(packed))) {
            var place = new AgentLocation(AgentCliCatalog.command(agentCli), to.environment(), to.project());
            assertThat(packer(to).unpackConversation(bundle, place)).contains(session);
        }
    }

    private static BundlePacker packer(AgentCliHome home) {
        return new BundlePacker(
                new GitWorktrees(CheckpointLimits.DEFAULT), home.path().resolve("scratch"), BundleLimits.DEFAULT);
    }

    /** The last question to the model, other than for a title. */
    private RequestRecord last() {
        return model.asked().reversed().stream()
                .filter(requestRecord -> !requestRecord.modelRequest().tools().isEmpty())
                .findFirst()
                .orElseThrow();
    }

    /** The request contains the first prompt, the tool's result, and these answers. */
    private void heardAll(String... answers) {
        var modelRequest = last().modelRequest();
        assertThat(modelRequest.messages())
                .anyMatch(message -> message.role() == ModelRequest.Role.USER
                        && message.text().contains("Remember the heron."));
        assertThat(modelRequest.toolResults()).anyMatch(result -> result.contains("feather"));
        for (var answer : answers)
            assertThat(modelRequest.messages())
                    .anyMatch(message -> message.role() == ModelRequest.Role.MODEL
                            && message.text().contains(answer));
    }

    private static List<String> with(List<String> words, String... more) {
        return Stream.concat(words.stream(), Stream.of(more)).toList();
    }

    private static List<String> named(List<String> words, String session) {
        return words.stream().map(word -> word.equals("ID") ? session : word).toList();
    }

    private static List<String> command(AgentCli agentCli, List<String> words) throws Exception {
        return Stream.concat(AgentCliCatalog.command(agentCli).stream(), words.stream())
                .toList();
    }
}
