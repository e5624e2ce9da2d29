package dev.roost.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.base.Clock;
import dev.roost.config.EngineConfig;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Caps;
import dev.roost.model.Cause;
import dev.roost.model.Status;
import dev.roost.os.Processes;
import dev.roost.service.RealProcessFixture;
import dev.roost.sessions.NoticeDigest;
import dev.roost.testing.ManualClock;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Caps are enforced while a run is live, and machine sleep does not count. */
@Tag("portable")
class BudgetRuleProcessTest extends RealProcessFixture {

    private final ManualClock time = new ManualClock();

    @Override
    public Clock clock() {
        return time;
    }

    @Override
    public EngineConfig config() {
        return new EngineConfig(Caps.NONE, 1, 1 << 20);
    }

    private RunRecord capped() {
        return service.start(request(Optional.of(Duration.ofMinutes(30)), "sleep", "1000"));
    }

    @Test
    void a_run_over_its_time_cap_is_stopped_with_the_cause() {
        var run = capped();
        awaitBegun(run);
        time.advance(Duration.ofMinutes(29));
        service.sweep();
        assertThat(show(run).status()).isEqualTo(Status.RUNNING);

        time.advance(Duration.ofMinutes(2));
        service.sweep();

        var ended = awaitEnd(run);
        assertThat(ended.status()).isEqualTo(Status.FAILED);
        assertThat(ended.latest().cause()).contains(Cause.BUDGET_TIME);
        assertThat(ended.latest().evidence().orElseThrow().exit()).isPresent();
    }

    @Test
    void machine_sleep_and_wall_clock_steps_do_not_count_as_active_time() {
        var run = capped();
        awaitBegun(run);
        time.sleepMachine(Duration.ofHours(16));
        service.sweep();
        restart();
        service.sweep();
        assertThat(show(run).status()).isEqualTo(Status.RUNNING);
        assertThat(show(run).latest().stopping()).isEmpty();
    }

    @Test
    void the_evidence_shows_active_time_and_sleep_separately() {
        var run = sh("sleep 1000");
        awaitBegun(run);
        time.advance(Duration.ofMinutes(5));
        time.sleepMachine(Duration.ofHours(16));
        restart();
        time.advance(Duration.ofMinutes(2));
        var evidence = service.stop(show(run), AS_PARENT).latest().evidence().orElseThrow();
        assertThat(evidence.active()).contains(Duration.ofMinutes(7));
        assertThat(evidence.slept()).contains(Duration.ofHours(16));
    }

    @Test
    void a_step_of_the_wall_clock_changes_no_deadline() {
        var run = capped();
        awaitBegun(run);
        time.step(Duration.ofDays(-2));
        service.sweep();
        time.step(Duration.ofDays(400));
        service.sweep();
        time.advance(Duration.ofMinutes(29));
        service.sweep();
        assertThat(show(run).status()).isEqualTo(Status.RUNNING);
        time.advance(Duration.ofMinutes(2));
        service.sweep();
        assertThat(awaitEnd(run).latest().cause()).contains(Cause.BUDGET_TIME);
    }

    @Test
    void time_without_a_daemon_counts_as_active_time() {
        var run = capped();
        awaitBegun(run);
        service.close();
        time.advance(Duration.ofMinutes(31));
        service = open();
        assertThat(awaitEnd(run).latest().cause()).contains(Cause.BUDGET_TIME);
    }

    @Test
    void a_run_that_finished_in_time_is_completed_even_if_it_is_checked_late() throws Exception {
        var run = service.start(request(Optional.of(Duration.ofMinutes(30)), "sh", "-c", "sleep 0.3; echo done"));
        var perch = perch(run);
        service.close();
        await().atMost(SOON).until(() -> !Processes.alive(perch));
        time.advance(Duration.ofMinutes(31));
        service = open();
        assertThat(show(run).status()).isEqualTo(Status.COMPLETED);
    }

    @Test
    void a_wall_clock_set_back_causes_no_negative_duration() {
        time.sleepMachine(Duration.ofDays(2000)); // this clock is wrong, the clock of the file system is not
        var run = sh("sleep 1000");
        awaitBegun(run);
        time.sleepMachine(Duration.ofDays(-2000));
        service.stop(show(run), AS_OPERATOR);

        assertThat(service.inbox(Optional.empty(), AS_PARENT))
                .singleElement()
                .satisfies(notice -> assertThat(NoticeDigest.line(notice)).doesNotContain("after"));
        await().untilAsserted(
                        () -> assertThat(service.outputFile(run)).content().contains("canceled_by_user"));
        assertThat(service.outputFile(run)).content().doesNotContain("after");
    }

    @Test
    void a_run_that_floods_its_output_is_stopped() {
        var run = start("yes");
        var ended = awaitEnd(run);
        assertThat(ended.latest().cause()).contains(Cause.BUDGET_OUTPUT);
        await().untilAsserted(
                        () -> assertThat(service.outputFile(run)).content().contains("more output than allowed"));
    }
}
