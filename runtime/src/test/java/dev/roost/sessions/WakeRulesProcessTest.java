package dev.roost.sessions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.base.Clock;
import dev.roost.config.EngineConfig;
import dev.roost.config.WakePolicy;
import dev.roost.ledger.record.NoticeOffer;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.SessionReport;
import dev.roost.model.Budget;
import dev.roost.model.Caller;
import dev.roost.model.Caps;
import dev.roost.model.Owner;
import dev.roost.model.OwnerSession;
import dev.roost.model.SessionEvent;
import dev.roost.service.RealProcessFixture;
import dev.roost.testing.OffsetClock;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** The seven wake rules: each one prevents a wake and records an event. */
class WakeRulesProcessTest extends RealProcessFixture {

    private static final Duration QUIET = Duration.ofSeconds(2);

    private final OffsetClock clock = new OffsetClock();

    private WakePolicy policy =
            new WakePolicy(WakePolicy.Mode.IDLE, QUIET, 3, Duration.ofMillis(300), Duration.ofSeconds(2));

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public EngineConfig config() {
        return new EngineConfig(Caps.NONE, 1, Budget.DEFAULT_MAX_OUTPUT).with(policy);
    }

    private void policy(WakePolicy.Mode mode, int limit) {
        policy = new WakePolicy(mode, QUIET, limit, Duration.ofMillis(300), Duration.ofSeconds(2));
        restart();
    }

    private void report(SessionEvent... events) {
        for (var event : events) reportEvent(event);
    }

    private Optional<NoticeOffer> reportEvent(SessionEvent event) {
        return service.sessions()
                .record(new SessionReport(PARENT, "claude-code", Optional.empty(), Optional.empty(), event))
                .offer();
    }

    /** Makes the session idle: a prompt was answered and the user has been silent since. */
    private void idle() {
        report(
                new SessionEvent.SessionStarted(),
                new SessionEvent.PromptSubmitted(true),
                new SessionEvent.TurnEnded(true));
        clock.pass(QUIET.plusSeconds(1));
    }

    private CompletableFuture<Optional<NoticeOffer>> waiter() {
        var offer = new CompletableFuture<Optional<NoticeOffer>>();
        Thread.ofVirtual().start(() -> {
            try {
                offer.complete(service.sessions().awaitWake(PARENT, Duration.ofMinutes(1)));
            } catch (InterruptedException e) {
                offer.completeExceptionally(e);
            }
        });
        return offer;
    }

    private RunRecord ended() {
        return awaitEnd(sh("echo done"));
    }

    private void awaitDecision(RunRecord run, String words) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(service.events(run))
                        .anySatisfy(event ->
                                assertThat(event.kind() + ": " + event.text()).contains("wake", words)));
    }

    private static NoticeOffer awaitOffer(CompletableFuture<Optional<NoticeOffer>> waiter)
            throws ExecutionException, InterruptedException, TimeoutException {
        return waiter.get(20, TimeUnit.SECONDS).orElseThrow();
    }

    @Test
    void an_idle_session_is_woken_with_everything_that_is_pending() throws Exception {
        idle();
        var waiter = waiter();
        var run = ended();
        var offer = awaitOffer(waiter);
        assertThat(offer.notices())
                .extracting(notice -> notice.ofRun().orElseThrow().run().id())
                .containsExactly(run.id());
        awaitDecision(run, "woken with " + offer.nonce());
        service.sessions().markDelivered(offer);
        assertThat(service.sessions().find(PARENT).orElseThrow().state()).isEqualTo(OwnerSession.SessionState.BUSY);

        report(new SessionEvent.PromptSubmitted(false), new SessionEvent.TurnEnded(true));
        assertThat(service.inbox(Optional.of(PARENT), AS_OPERATOR))
                .as("the model has continued since")
                .isEmpty();
    }

    @Test
    void rule_1_a_session_whose_wake_policy_is_off_is_not_woken() {
        policy(WakePolicy.Mode.OFF, 3);
        idle();
        var _ = waiter();
        awaitDecision(ended(), "not woken: its wake policy is off");
    }

    @Test
    void rule_2_a_session_is_not_woken_during_a_turn_or_before_the_first() {
        report(new SessionEvent.SessionStarted());
        awaitDecision(ended(), "not woken: its last turn has not reported its end");
        report(new SessionEvent.PromptSubmitted(true));
        awaitDecision(ended(), "not woken: its last turn has not reported its end");
    }

    @Test
    void rule_2_a_session_without_its_harness_is_not_woken() throws Exception {
        var harness = new ProcessBuilder("sleep", "60").start();
        var process = OwnerSessions.harnessOf(harness.pid()).orElseThrow(); // this test's process; used for its boot id
        var own = dev.roost.os.Processes.ancestors(harness.pid()).getFirst();
        service.sessions()
                .record(new SessionReport(
                        PARENT,
                        "claude-code",
                        Optional.empty(),
                        Optional.of(new OwnerSession.HarnessProcess(own, process.bootId())),
                        new SessionEvent.SessionStarted()));
        report(new SessionEvent.PromptSubmitted(true), new SessionEvent.TurnEnded(true));
        clock.pass(QUIET.plusSeconds(1));
        harness.destroyForcibly().waitFor();
        var _ = waiter();
        awaitDecision(ended(), "not woken: its harness is no longer running");
    }

    @Test
    void rule_3_a_session_is_woken_only_after_the_quiet_time_after_a_prompt() throws Exception {
        report(
                new SessionEvent.SessionStarted(),
                new SessionEvent.PromptSubmitted(true),
                new SessionEvent.TurnEnded(true));
        var waiter = waiter();
        var run = ended();
        awaitDecision(run, "not woken: its user has just submitted a prompt");
        assertThat(waiter).isNotDone();
        assertThat(awaitOffer(waiter).notices())
                .as("once the quiet time is over")
                .hasSize(1);
    }

    @Test
    void rule_4_a_session_that_its_user_interrupted_since_the_run_started_is_not_woken() throws Exception {
        var run = sh("until [ -e go ]; do sleep 0.05; done");
        report(
                new SessionEvent.SessionStarted(),
                new SessionEvent.PromptSubmitted(true),
                new SessionEvent.PromptSubmitted(true));
        report(new SessionEvent.TurnEnded(true));
        clock.pass(QUIET.plusSeconds(1));
        var _ = waiter();
        Files.createFile(scratch.resolve("go"));
        awaitEnd(run);
        awaitDecision(run, "not woken: its user interrupted it since the run was started");
    }

    @Test
    void rule_5_a_session_is_not_woken_more_often_in_a_row_than_the_limit() throws Exception {
        policy(WakePolicy.Mode.IDLE, 1);
        idle();
        var waiter = waiter();
        ended();
        service.sessions().markDelivered(awaitOffer(waiter));
        report(new SessionEvent.TurnEnded(true));
        var _ = waiter();
        var second = ended();
        awaitDecision(second, "not woken: it has reached the limit of turns without a prompt");
    }

    @Test
    void rule_6_a_session_is_not_woken_for_a_run_that_its_user_stopped() {
        idle();
        var _ = waiter();
        var run = sh("sleep 60");
        service.stop(run, new Caller(new Owner("cli:somebody"), true));
        awaitDecision(run, "not woken: its user has stopped the run");
    }

    @Test
    void rule_7_a_burst_of_ends_is_one_wake_with_one_digest() throws Exception {
        policy = new WakePolicy(WakePolicy.Mode.IDLE, QUIET, 3, Duration.ofSeconds(3), Duration.ofSeconds(20));
        restart();
        idle();
        var waiter = waiter();
        var runs = new ArrayList<RunRecord>();
        for (int i = 0; i < 5; i++) runs.add(sh("echo done"));
        runs.forEach(this::awaitEnd);
        assertThat(awaitOffer(waiter).notices()).hasSize(5);
    }

    @Test
    void without_a_way_to_wake_the_session_the_notice_waits_for_the_next_turn() {
        idle();
        var run = ended();
        awaitDecision(run, "not woken: its harness offers no way to wake it");
        assertThat(reportEvent(new SessionEvent.PromptSubmitted(true))
                        .orElseThrow()
                        .notices())
                .hasSize(1);
    }

    @Test
    void an_ending_turn_is_continued_for_new_notices_and_counts_as_a_wake() {
        policy(WakePolicy.Mode.IDLE, 1);
        report(new SessionEvent.SessionStarted(), new SessionEvent.PromptSubmitted(true));
        ended();
        var offer = reportEvent(new SessionEvent.TurnEnded(true)).orElseThrow();
        assertThat(offer.occasion()).isEqualTo(NoticeOffer.Occasion.STOP);
        service.sessions().markDelivered(offer);
        assertThat(service.sessions().find(PARENT).orElseThrow().wakes()).isEqualTo(1);
        ended();
        assertThat(reportEvent(new SessionEvent.TurnEnded(true)))
                .as("the limit is reached")
                .isEmpty();
    }

    @Test
    void a_waiting_listener_returns_when_the_session_works_again() throws Exception {
        idle();
        var waiter = waiter();
        await().atMost(Duration.ofSeconds(10)).until(() -> {
            if (!waiter.isDone())
                report(new SessionEvent.PromptSubmitted(true)); // the waiter may not have been registered yet
            return waiter.isDone();
        });
        assertThat(waiter.get()).isEmpty();
    }
}
