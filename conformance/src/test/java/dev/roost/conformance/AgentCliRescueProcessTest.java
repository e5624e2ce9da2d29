package dev.roost.conformance;

import static dev.roost.conformance.testing.RescueFixture.found;
import static dev.roost.conformance.testing.RescueFixture.states;
import static dev.roost.conformance.testing.RescueFixture.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.conformance.agents.AgentCliCatalog;
import dev.roost.conformance.agents.OwnerHarness;
import dev.roost.conformance.model.JsonObjects;
import dev.roost.conformance.model.ScriptStep;
import dev.roost.conformance.testing.OwnerSessionFixture;
import dev.roost.conformance.testing.RescueFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Real CLIs are killed in the middle of their work; roost rescue finds what they left. */
@Timeout(300)
class AgentCliRescueProcessTest {

    private static final String CUT =
            "Do it. SCRIPT=bash?cmd=echo%20hi&say=half%20way%20there|" + until("never") + "|too late";
    private static final String UNHEARD = "Do it. SCRIPT=" + until("go") + "|The%20answer%20is%2042.";
    private static final String HEARD = "Do it. SCRIPT=bash?cmd=echo%20hi|heard%20of";

    private static final String CLAUDE_SESSION = "5f0c5f0c-1111-4111-8111-111111111111";

    @TempDir
    Path directory;

    private static String call(String tool, String... fields) {
        var step = new StringBuilder("mcp:" + tool);
        for (int i = 0; i < fields.length; i += 2)
            step.append(i == 0 ? '?' : '&')
                    .append(fields[i])
                    .append('=')
                    .append(OwnerSessionFixture.encoded(fields[i + 1]));
        return step.toString();
    }

    @Test
    void unreported_agents_of_claude_code_are_found() throws Exception {
        try (var stage = new RescueFixture(AgentCliCatalog.CLAUDE, directory)) {
            var process = stage.begin(
                    "SCRIPT=" + claude("cut", CUT, true) + "|" + claude("unheard", UNHEARD, true) + "|"
                            + claude("heard", HEARD, false) + "|"
                            + call(
                                    "Bash",
                                    "command",
                                    "echo begun; until [ -e never ]; do sleep 0.2; done",
                                    "run_in_background",
                                    "true")
                            + "|" + until("forever") + "|fin",
                    "-p",
                    "--permission-mode",
                    "bypassPermissions",
                    "--session-id",
                    CLAUDE_SESSION);
            stage.awaitWaitingFor("never");
            stage.awaitWaitingFor("forever");
            stage.let("go");
            stage.awaitWritten(stage.user.path().resolve(".claude"), "Agent \\\"unheard\\\" finished");

            isLeftAlone(stage, "cut at_work", "unheard at_work", "echo at_work");
            stage.kill(process);

            var answer = isFoundOnce(stage, "cut cut", "unheard finished", "echo cut");
            assertThat(found(answer, "cut").path("owner").asString()).isEqualTo("claude:" + CLAUDE_SESSION);
            assertThat(found(answer, "echo").path("text").asString()).isEqualTo("begun\n");

            var resumed = stage.begin("SCRIPT=fine", "-p", "--resume", CLAUDE_SESSION);
            assertThat(resumed.waitFor(90, TimeUnit.SECONDS)).isTrue();
            stage.clock.sleepMachine(Duration.ofMinutes(2));
            var after = stage.rescue();
            assertThat(states(after))
                    .as("the resumed session is notified of all others")
                    .containsExactly("unheard finished");
            assertThat(found(after, "unheard").path("run_id"))
                    .isEqualTo(found(answer, "unheard").path("run_id"));
        }
    }

    @Test
    void the_worktree_of_a_lost_claude_code_agent_is_found_with_its_files() throws Exception {
        try (var stage = new RescueFixture(AgentCliCatalog.CLAUDE, directory)) {
            stage.makeRepository();
            var agent = claude("cut", "SCRIPT=bash?cmd=echo%20work%20%3E%20left.txt&say=half%20way%20there|hang", true);
            var process = stage.begin(
                    "SCRIPT=" + agent + "&isolation=worktree|hang", "-p", "--permission-mode", "bypassPermissions");
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> stage.model.asked().stream()
                                    .filter(requestRecord -> requestRecord.answer() instanceof ScriptStep.Hang)
                                    .count()
                            == 2);
            stage.kill(process);

            var before = stage.files();
            var answer = stage.rescue("--apply");
            assertThat(states(answer)).containsExactly("cut cut");
            assertThat(found(answer, "cut").path("uncommitted").asInt()).isEqualTo(1);
            assertThat(answer.path("worktrees"))
                    .as(answer.toPrettyString())
                    .singleElement()
                    .satisfies(worktree -> {
                        assertThat(found(answer, "cut").path("cwd")).isEqualTo(worktree.path("path"));
                        assertThat(worktree.path("untracked").path(0).asString())
                                .isEqualTo("left.txt");
                        assertThat(worktree.path("ref").asString()).startsWith("refs/roost/r_");
                    });
            assertThat(withoutObjectsAndRefs(stage.files()))
                    .as("the checkpoint is in the repository, not among the tool's files")
                    .isEqualTo(withoutObjectsAndRefs(before));
        }
    }

    /** Ignores what a checkpoint adds to the repository, and the modification time of git's directory. */
    private static Map<String, String> withoutObjectsAndRefs(Map<String, String> files) {
        var rest = new TreeMap<>(files);
        rest.keySet()
                .removeIf(name -> name.startsWith("project/.git/objects")
                        || name.startsWith("project/.git/refs")
                        || name.matches("project/\\.git/worktrees/[^/]+"));
        return rest;
    }

    @Test
    void an_orphaned_job_of_claude_code_is_found() throws Exception {
        try (var stage = new RescueFixture(AgentCliCatalog.CLAUDE, directory)) {
            OwnerHarness.CLAUDE_CODE.prepare(stage.user);
            var claude = stage.user.path().resolve(".claude");
            var prompt = "SCRIPT=bash?cmd=true&say=half%20way%20there|" + until("never") + "|too late";
            var begun = stage.begin("", "--bg", "--permission-mode", "bypassPermissions", prompt);
            assertThat(begun.waitFor(60, TimeUnit.SECONDS)).as(stage.printed()).isTrue();
            stage.awaitWaitingFor("never");
            stage.awaitWritten(claude.resolve("projects"), "until [ -e never ]");
            var status = JsonObjects.MAPPER.readTree(Files.readString(claude.resolve("daemon.status.json")));
            var supervisor =
                    ProcessHandle.of(status.path("supervisorPid").asLong()).orElseThrow();

            isLeftAlone(stage, "a at_work"); // its name is a title
            stage.killTree(supervisor);

            var answer = stage.rescue("--apply");
            assertThat(states(answer)).as(answer.toPrettyString()).containsExactly("a cut");
            var job = found(answer, "a");
            assertThat(job.path("text").asString()).isEqualTo("half way there");
            assertThat(job.path("session_id").asString()).isNotEmpty();
            assertThat(stage.rescue("--apply").path("runs")).isEqualTo(answer.path("runs"));
        }
    }

    private static String claude(String description, String prompt, boolean background) {
        return call(
                "Agent",
                "description",
                description,
                "subagent_type",
                "general-purpose",
                "run_in_background",
                Boolean.toString(background),
                "prompt",
                prompt);
    }

    @Test
    void unreported_child_sessions_of_opencode_are_found() throws Exception {
        try (var stage = new RescueFixture(AgentCliCatalog.OPENCODE, directory)) {
            OwnerHarness.OPENCODE.prepare(stage.user);
            stage.user.environment().put("OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS", "1");
            var process = stage.begin(
                    "SCRIPT=" + openCode("cut", CUT, true) + "|" + openCode("unheard", UNHEARD, true) + "|"
                            + openCode("heard", HEARD, false) + "|" + until("forever") + "|fin",
                    "run",
                    "--format",
                    "json");
            stage.awaitWaitingFor("never");
            stage.awaitWaitingFor("forever");
            stage.let("go");
            stage.awaitWritten(stage.user.path().resolve(".local"), "Background task completed: unheard");

            isLeftAlone(stage, "cut at_work", "unheard at_work");
            stage.kill(process);

            var answer = isFoundOnce(stage, "cut cut", "unheard finished");
            assertThat(found(answer, "cut").path("owner").asString()).startsWith("opencode:ses_");
            assertThat(found(answer, "cut").path("session_id").asString()).startsWith("ses_");
        }
    }

    private static String openCode(String description, String prompt, boolean background) {
        return call(
                "task",
                "description",
                description,
                "subagent_type",
                "general",
                "background",
                Boolean.toString(background),
                "prompt",
                prompt);
    }

    @Test
    void interrupted_threads_and_unreported_agents_of_codex_are_found() throws Exception {
        try (var stage = new RescueFixture(AgentCliCatalog.CODEX, directory)) {
            var process = stage.begin(
                    "parent SCRIPT=" + codex("heard", HEARD) + "|" + until("told") + "|" + codex("cut", CUT) + "|"
                            + codex("unheard", UNHEARD) + "|" + until("forever") + "|fin",
                    "exec",
                    "--json",
                    "--skip-git-repo-check",
                    "--dangerously-bypass-approvals-and-sandbox",
                    "-c",
                    "features.multi_agent_v2=true",
                    "-");
            var sessions = stage.user.path().resolve(".codex/sessions");
            stage.awaitWritten(sessions, "\"last_agent_message\":\"heard of\"");
            stage.let("told");
            stage.awaitWaitingFor("never");
            stage.awaitWaitingFor("forever");
            stage.let("go");
            stage.awaitWritten(sessions, "\"last_agent_message\":\"The answer is 42.\"");

            isLeftAlone(stage, "parent at_work", "cut at_work", "unheard at_work");
            stage.kill(process);

            var answer = isFoundOnce(stage, "parent cut", "cut cut", "unheard finished");
            assertThat(found(answer, "cut").path("owner").asString())
                    .isEqualTo("codex:"
                            + found(answer, "parent").path("session_id").asString());

            var parent = found(answer, "parent").path("run_id").asString();
            stage.type("send", parent, "SCRIPT=going%20on");
            assertThat(stage.type("output", "--block", "--timeout", "60s", parent))
                    .contains("going on");
            assertThat(stage.model.asked().getLast().modelRequest().messages())
                    .as("in its own conversation")
                    .anyMatch(message -> message.text().startsWith("parent SCRIPT="));
        }
    }

    private static String codex(String name, String prompt) {
        return call("spawn_agent", "task_name", name, "message", prompt);
    }

    @Test
    void interrupted_chats_of_gemini_are_found() throws Exception {
        try (var stage = new RescueFixture(AgentCliCatalog.GEMINI, directory)) {
            var words = new String[] {"--output-format", "stream-json", "--approval-mode", "yolo"};
            var whole = stage.begin("whole SCRIPT=bash?cmd=true|fine", words);
            assertThat(whole.waitFor(90, TimeUnit.SECONDS)).isTrue();
            assertThat(whole.exitValue()).as(stage.printed()).isZero();
            var process = stage.begin("cut " + CUT, words);
            stage.awaitWaitingFor("never");

            isLeftAlone(stage, "cut at_work");
            stage.kill(process);

            var before = stage.files();
            var answer = stage.rescue("--apply");
            assertThat(states(answer)).containsExactly("cut cut");
            assertThat(stage.rescue("--apply").path("runs")).hasSize(1);
            assertThat(stage.files()).isEqualTo(before);
            var run = found(answer, "cut").path("run_id").asString();
            assertThat(stage.type("output", run)).contains("half way there", "abandoned");
        }
    }

    @Test
    void runs_that_roost_itself_stopped_are_not_reported_as_lost() throws Exception {
        try (var stage = new RescueFixture(AgentCliCatalog.GEMINI, directory)) {
            stage.type("run", "--agent", "gemini", "--name", "ours", "--", "SCRIPT=hang");
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> stage.model.asked().stream()
                            .anyMatch(requestRecord -> requestRecord.answer() instanceof ScriptStep.Hang));
            stage.awaitWritten(stage.user.path().resolve(".gemini/tmp"), "SCRIPT=hang");
            stage.type("stop", "ours");
            stage.clock.sleepMachine(Duration.ofMinutes(2));

            var answer = stage.rescue();
            assertThat(states(answer)).as(answer.toPrettyString()).isEmpty();
        }
    }

    /** Long after its last output, while its process is still alive. */
    private static void isLeftAlone(RescueFixture stage, String... expected) throws Exception {
        stage.clock.sleepMachine(Duration.ofMinutes(2));
        var answer = stage.rescue("--apply");
        assertThat(states(answer)).as(answer.toPrettyString()).contains(expected);
        assertThat(states(answer)).allMatch(one -> one.endsWith(" at_work"));
        assertThat(answer.path("runs")).isEmpty();
    }

    private static JsonNode isFoundOnce(RescueFixture stage, String... expected) throws Exception {
        var before = stage.files();
        var listed = stage.rescue();
        assertThat(states(listed)).as(listed.toPrettyString()).containsExactlyInAnyOrder(expected);
        assertThat(found(listed, "cut").path("text").asString()).isEqualTo("half way there");
        assertThat(found(listed, "cut").path("doing").asString()).contains("until [ -e never ]");
        assertThat(found(listed, "cut").has("run_id")).isFalse();

        var brought = stage.rescue("--apply");
        var again = stage.rescue("--apply");
        assertThat(again.path("runs")).as("again").isEqualTo(brought.path("runs"));
        assertThat(JsonObjects.MAPPER
                        .readTree(stage.type("ps", "--all", "--json"))
                        .path("runs"))
                .hasSize(expected.length);
        assertThat(stage.files()).as("the tool's own files").isEqualTo(before);

        var cut = found(brought, "cut").path("run_id").asString();
        assertThat(stage.type("output", cut)).contains("half way there", "abandoned");
        assertThat(stage.type("show", cut)).contains("found by roost rescue", "stop"); // its transcript does
        var unheard = JsonObjects.MAPPER.readTree(stage.type(
                "output", "--json", found(brought, "unheard").path("run_id").asString()));
        assertThat(unheard.path("status").asString()).isEqualTo("completed");
        assertThat(unheard.path("result").asString()).isEqualTo("The answer is 42.");
        assertThat(unheard.path("unread").asBoolean()).isFalse();
        assertThat(unheard.path("ended_at").asString())
                .isEqualTo(found(brought, "unheard").path("last_sign_of_life").asString());
        assertThat(JsonObjects.MAPPER.readTree(stage.type("inbox", "--json")).path("notices"))
                .isEmpty();
        return brought;
    }
}
