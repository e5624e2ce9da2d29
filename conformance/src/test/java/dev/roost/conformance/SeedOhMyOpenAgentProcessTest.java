package dev.roost.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.conformance.agents.AgentCliCatalog;
import dev.roost.conformance.agents.OwnerHarness;
import dev.roost.conformance.model.JsonObjects;
import dev.roost.conformance.testing.OwnerSessionFixture;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.TimelineEvent;
import dev.roost.model.Status;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * The scenario of seeds/003 with a real OpenCode and the tool names of oh-my-openagent: five parallel tasks, then every way to read
 * them, in two turns; asserted by the requests to its model.
 */
class SeedOhMyOpenAgentProcessTest {

    private static final Duration BOUND = Duration.ofSeconds(5);
    private static final String STUBBORN =
            "trap 'echo LATE > \"$ROOST_RESULT_FILE\"; echo I have finished; exit 0' TERM; while :; do sleep 0.05; done";

    @TempDir
    private static Path directory;

    private static OwnerSessionFixture stage;
    private static List<RunRecord> tasks;
    private static List<String> outputs;
    private static List<String> sessions;
    private static List<String> waits;
    private static List<String> aborts;
    private static Duration late;

    @BeforeAll
    static void two_turns() throws Exception {
        stage = new OwnerSessionFixture(OwnerHarness.OPENCODE, directory)
                .speaking("oh-my-openagent")
                .alsoWith(AgentCliCatalog.CLAUDE);
        var begin = new ArrayList<>(IntStream.rangeClosed(1, 5)
                .mapToObj(n -> task("claude", "SCRIPT=text?t=Report%%20%d%%20on%%20agent_list&ms=1500".formatted(n)))
                .toList());
        begin.add(task("command", "until [ -e go ]; do sleep 0.05; done; echo WATCHED"));
        begin.add(task("command", STUBBORN));
        stage.turn("", false, "MARK-1 SCRIPT=" + String.join("|", begin) + "|all are begun");
        stage.awaitEnds(5);
        tasks = stage.runs();
        assertThat(tasks).as(stage::asked).hasSize(7);
        var first = tasks.getFirst();
        var parent = first.owner().id().substring("opencode:".length());
        var watched = tasks.get(5);

        var look = new ArrayList<String>();
        for (var run : tasks.subList(0, 5)) look.add(output(run.id().text()));
        for (var id : List.of(first.sessionId().orElseThrow(), first.id().text())) {
            look.add(output(id));
            look.add(stage.call("session_info", "session_id=" + id));
            look.add(stage.call("session_read", "session_id=" + id));
        }
        look.add(output(watched.id().text(), "block=true", "timeout=300"));
        look.add("bash?cmd=touch%20go");
        look.add(output(watched.id().text(), "block=true", "timeout=300s"));
        look.add(stage.call("background_cancel", "task_id=" + tasks.get(6).id()));
        look.add(output(tasks.get(6).id().text()));
        var measured = lateness(watched);
        stage.turn(parent, true, "MARK-2 SCRIPT=" + String.join("|", look) + "|I have seen them all");
        late = measured.join();

        var answers = stage.answers("MARK-2").stream().map(JsonNode::asString).toList();
        assertThat(answers).as(stage::asked).hasSize(16);
        outputs = answers.subList(0, 5);
        sessions = answers.subList(5, 11);
        waits = List.of(answers.get(11), answers.get(13));
        aborts = answers.subList(14, 16);
    }

    private static String task(String agent, String prompt) {
        return stage.call(
                "task", "description=a task", "prompt=" + prompt, "subagent_type=" + agent, "run_in_background=true");
    }

    private static String output(String id, String... more) {
        return stage.call(
                "background_output",
                Stream.concat(Stream.of("task_id=" + id), Stream.of(more)).toArray(String[]::new));
    }

    /** From the end of the process until it is in the ledger. */
    private static CompletableFuture<Duration> lateness(RunRecord run) {
        var process = ProcessHandle.of(
                        run.latest().began().orElseThrow().agent().pid())
                .orElseThrow();
        return process.onExit().thenApply(_ -> {
            long ended = System.nanoTime();
            await().pollInterval(Duration.ofMillis(2))
                    .until(() -> stage.runs().stream()
                            .anyMatch(one ->
                                    one.id().equals(run.id()) && one.status().ended()));
            return Duration.ofNanos(System.nanoTime() - ended);
        });
    }

    @AfterAll
    static void close() {
        stage.close();
    }

    @Test
    void five_parallel_tasks_return_at_once_with_their_ids() {
        var begun = stage.answers("MARK-1").stream().map(JsonNode::asString).toList();
        for (int i = 0; i < 5; i++) {
            assertThat(begun.get(i))
                    .contains(
                            "is running in the background",
                            "background_output {\"task_id\": \"" + tasks.get(i).id());
        }
    }

    @Test
    void background_output_switches_to_completed_once_the_delegated_session_has_finished() {
        for (int i = 0; i < 5; i++) {
            assertThat(outputs.get(i))
                    .startsWith("%s: completed".formatted(tasks.get(i).id()))
                    .contains("session_id " + tasks.get(i).sessionId().orElseThrow())
                    .contains("Report %d on agent_list".formatted(i + 1))
                    .doesNotContain("running");
        }
    }

    @Test
    void both_ids_resolve_and_every_tool_agrees() {
        assertThat(sessions)
                .allSatisfy(answer -> assertThat(answer)
                        .startsWith("%s: completed".formatted(tasks.getFirst().id()))
                        .contains("Report 1 on agent_list")
                        .doesNotContain("running"));
    }

    @Test
    void after_an_end_no_surface_says_running() throws Exception {
        var listed = ask(
                        "agent_list",
                        "{\"filter\":\"all\",\"_session\":\"%s\"}"
                                .formatted(tasks.getFirst().owner().id().replace("opencode:", "")))
                .path("runs");
        assertThat(listed)
                .hasSize(7)
                .allSatisfy(run -> assertThat(run.path("ended_at").asString())
                        .as(run.toString())
                        .isNotEmpty());
        var printed = JsonObjects.MAPPER.readTree(
                stage.typed("ps", "--all", "--json").getInputStream().readAllBytes());
        assertThat(printed.path("runs"))
                .hasSize(7)
                .allSatisfy(run -> assertThat(run.path("status").asString()).isIn("completed", "canceled_by_user"));
        for (var run : stage.runs()) {
            assertThat(Files.readString(stage.service().outputFile(run)))
                    .contains(run.status().word())
                    .doesNotContain("running");
        }
    }

    @Test
    void the_commit_follows_the_end_of_the_process_at_once() {
        System.out.printf("The ledger knew %d ms after the process had ended.%n", late.toMillis());
        assertThat(late).isLessThan(BOUND);
    }

    @Test
    void a_timeout_of_300_is_not_silently_300_milliseconds() {
        assertThat(waits.getFirst())
                .contains("timeout=300 is 0.3 seconds", "below the minimum", "Pass 300000, or \"300s\"");
        assertThat(waits.getLast())
                .startsWith(tasks.get(5).id() + ": completed")
                .contains("WATCHED");
    }

    @Test
    void an_abort_stays_an_abort_whatever_the_task_says_afterwards() {
        var run = stage.runs().get(6);
        assertThat(run.status()).isEqualTo(Status.CANCELED_BY_USER);
        assertThat(aborts)
                .allSatisfy(answer -> assertThat(answer)
                        .contains(run.id() + ": canceled_by_user")
                        .doesNotContain(": completed"));
        assertThat(aborts.getLast()).as("its output stays readable").contains("LATE");
        assertThat(stage.service().events(run))
                .extracting(TimelineEvent::kind)
                .containsSubsequence("stop_requested", "ended")
                .containsOnlyOnce("ended");
    }

    /** A call in the other dialect, for the same session. */
    private static JsonNode ask(String tool, String arguments) throws Exception {
        var process = stage.user
                .process(List.of(stage.program.path().toString(), "mcp", "--harness", "opencode"))
                .start();
        try (var in = process.outputWriter(StandardCharsets.UTF_8);
                var out = process.inputReader(StandardCharsets.UTF_8)) {
            in.write(
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\",\"arguments\":%s}}\n"
                            .formatted(tool, arguments));
            in.flush();
            return JsonObjects.MAPPER.readTree(out.readLine()).path("result").path("structuredContent");
        } finally {
            process.destroy();
        }
    }
}
