package dev.roost.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.Task;
import dev.roost.base.Refusal;
import dev.roost.base.RoostError;
import dev.roost.engine.StartRequest;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.TimelineEvent;
import dev.roost.model.Budget;
import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.model.Status;
import dev.roost.output.OutputPage;
import dev.roost.service.RealProcessFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One run from its start to its notice. */
@Tag("portable")
class RunLifecycleProcessTest extends RealProcessFixture {

    @Test
    void a_command_that_prints_and_exits_0_is_completed_with_what_it_printed() {
        var run = awaitEnd(start("echo", "hello", "world"));

        assertThat(run.status()).isEqualTo(Status.COMPLETED);
        assertThat(run.latest().cause()).contains(Cause.FINISHED);
        assertThat(result(run)).isEqualTo("hello world\n");
        assertThat(home.run(run.id()).attempt(1).result()).hasContent("hello world\n");
        assertThat(service.inbox(Optional.of(PARENT), AS_OPERATOR))
                .singleElement()
                .satisfies(notice ->
                        assertThat(notice.ofRun().orElseThrow().run().id()).isEqualTo(run.id()));
    }

    @Test
    void a_command_without_output_is_completed_empty() {
        assertThat(awaitEnd(start("true")).status()).isEqualTo(Status.COMPLETED_EMPTY);
    }

    @Test
    void the_result_file_is_the_result() {
        var run = awaitEnd(sh("echo chatter; echo 'the answer' > \"$ROOST_RESULT_FILE\""));
        assertThat(result(run)).isEqualTo("the answer\n");
        await().untilAsserted(() -> assertThat(service.outputFile(run))
                .content()
                .contains("chatter")
                .contains("the answer"));
    }

    @Test
    void a_symlink_or_directory_in_place_of_the_result_file_does_not_keep_the_run_from_ending() {
        var link = awaitEnd(sh("echo said; ln -s /etc/passwd \"$ROOST_RESULT_FILE\""));
        assertThat(link.status()).isEqualTo(Status.COMPLETED);
        assertThat(result(link)).isEqualTo("said\n");
        var silentLink = awaitEnd(sh("ln -s /etc/passwd \"$ROOST_RESULT_FILE\""));
        assertThat(silentLink.status()).isEqualTo(Status.COMPLETED_EMPTY);
        var directory = awaitEnd(sh("echo said; mkdir -p \"$ROOST_RESULT_FILE/x\""));
        assertThat(result(directory)).isEqualTo("said\n");
    }

    @Test
    void an_exit_status_is_a_failure_with_the_tail_of_stderr_as_evidence() {
        var run = awaitEnd(sh("echo partial; echo 'disk on fire' >&2; exit 3"));
        assertThat(run.status()).isEqualTo(Status.FAILED);
        assertThat(run.latest().cause()).contains(Cause.EXIT_CODE);
        var evidence = run.latest().evidence().orElseThrow();
        assertThat(evidence.exit()).contains(new Exit(3, false));
        assertThat(evidence.stderrTail()).isEqualTo("disk on fire\n");
        assertThat(evidence.agent()).isPresent();
        assertThat(evidence.bootId()).isPresent();
        assertThat(evidence.lastSignOfLife()).isPresent();
        assertThat(result(run)).as("the output is kept").isEqualTo("partial\n");
    }

    @Test
    void exit_status_137_is_not_reported_as_a_signal() {
        assertThat(awaitEnd(sh("kill -9 $$")).latest().cause()).contains(Cause.SIGNAL);
        var plainExit = awaitEnd(sh("exit 137"));
        assertThat(plainExit.latest().cause()).contains(Cause.EXIT_CODE);
        assertThat(plainExit.latest().evidence().orElseThrow().exit()).contains(new Exit(137, false));
    }

    @Test
    void the_output_file_is_there_before_start_returns_and_grows() {
        var run = sh("echo one; while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; echo two");
        assertThat(service.outputFile(run)).exists();
        await().untilAsserted(
                        () -> assertThat(service.outputFile(run)).content().isEqualTo("one\n"));
        touch("go");
        awaitEnd(run);
        await().untilAsserted(() -> assertThat(service.outputFile(run))
                .content()
                .startsWith("one\ntwo\n")
                .contains("completed"));
    }

    @Test
    void a_result_of_many_megabytes_is_complete_in_its_file() throws Exception {
        var run = awaitEnd(sh("head -c 3000000 /dev/zero | tr '\\0' x"));
        var output = service.output(run, OutputPage.Request.now());
        assertThat(output.result()).isEmpty();
        assertThat(Files.size(output.resultFile().orElseThrow())).isEqualTo(3_000_000);
        assertThat(run.latest().resultBytes()).isEqualTo(3_000_000);
        assertThat(run.latest().position().outputBytes())
                .as("output.md has all of it")
                .isEqualTo(3_000_000);
    }

    @Test
    void stopping_is_idempotent_records_the_requester_and_ends_the_run_once() {
        var run = sh("sleep 1000");
        awaitBegun(run);
        var stopped = service.stop(show(run), AS_PARENT);
        assertThat(stopped.status()).isEqualTo(Status.CANCELED_BY_USER);
        assertThat(stopped.latest().cause()).contains(Cause.STOPPED);
        assertThat(stopped.latest().stopping().orElseThrow().requestedBy()).isEqualTo(PARENT.id());
        assertThat(service.stop(show(run), AS_OPERATOR)).isEqualTo(stopped);
        assertThat(service.notices(run)).hasSize(1);
    }

    @Test
    void a_run_stopped_right_after_its_start_ends_canceled_and_leaves_no_process() {
        for (int i = 0; i < 10; i++) {
            var stopped = service.stop(sh("sleep 1000"), AS_PARENT);
            assertThat(stopped.status()).isEqualTo(Status.CANCELED_BY_USER);
        }
    }

    @Test
    void an_agent_that_ignores_sigterm_is_killed_after_the_grace_period() {
        var run = sh("trap '' TERM; echo ready; while :; do sleep 0.1; done");
        await().until(() ->
                service.output(show(run), OutputPage.Request.now()).text().equals("ready\n"));
        assertThat(service.stop(show(run), AS_PARENT).status()).isEqualTo(Status.CANCELED_BY_USER);
    }

    @Test
    void an_invalid_start_request_is_refused_and_leaves_no_files() throws Exception {
        refused("no_such_executable", () -> start("no-such-program-anywhere"));
        refused("no_such_executable", () -> start("./nor-here"));
        refused("no_such_executable", () -> start(""));
        refused("prompt_too_long", () -> start("echo", "x".repeat(200_000)));
        refused("prompt_too_long", () -> new Task(List.of(), Optional.of("x".repeat(2 << 20))));
        refused("nul_in_task", () -> start("echo", "a\0b"));
        refused("bad_task", () -> start());
        var request = request("true");
        refused(
                "no_such_directory",
                () -> service.start(with(request, Path.of("/no/such/directory"), Optional.empty())));
        refused("no_such_directory", () -> service.start(with(request, Path.of("relative"), Optional.empty())));
        refused("bad_name", () -> service.start(with(request, scratch, Optional.of("a\0b"))));
        assertThatThrownBy(() -> service.start(new StartRequest(
                        PARENT,
                        "command",
                        request.task(),
                        Optional.empty(),
                        Optional.empty(),
                        scratch,
                        Map.of(),
                        "022",
                        Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                        Optional.of(true),
                        StartRequest.Origin.UNKNOWN)))
                .isInstanceOf(Refusal.class);
        assertThat(service.list(RunQuery.of(RunQuery.StatusFilter.ALL), AS_OPERATOR))
                .isEmpty();
        try (var directories = Files.list(home.runs())) {
            assertThat(directories).isEmpty();
        }
    }

    private StartRequest with(StartRequest request, Path cwd, Optional<String> name) {
        return new StartRequest(
                PARENT,
                "command",
                request.task(),
                name,
                Optional.empty(),
                cwd,
                Map.of(),
                "022",
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                Optional.empty(),
                StartRequest.Origin.UNKNOWN);
    }

    private void refused(String code, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(RoostError.class, error -> {
            assertThat(error.code()).isEqualTo(code);
            assertThat(error.hint()).isNotBlank();
        });
    }

    @Test
    void the_timeline_lists_the_events_of_a_run() {
        var run = awaitEnd(start("echo", "hi"));
        assertThat(service.events(run))
                .extracting(TimelineEvent::kind)
                .containsExactly("submitted", "claimed", "began", "ended");
    }

    @Tag("linux") // the same on other systems, but takes half a minute there
    @Test
    void two_hundred_runs_at_once_all_end_with_their_own_result_and_one_notice_each() {
        var runs = new ArrayList<RunRecord>();
        for (int i = 0; i < 200; i++) runs.add(start("echo", "number " + i));
        for (int i = 0; i < 200; i++) assertThat(result(awaitEnd(runs.get(i)))).isEqualTo("number " + i + "\n");
        assertThat(service.inbox(Optional.empty(), AS_OPERATOR)).hasSize(200);
    }
}
