package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.Refusal;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.ImportedAttempt;
import dev.roost.ledger.record.NewRun;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.ledger.testing.LedgerFixture;
import dev.roost.model.Budget;
import dev.roost.model.Caps;
import dev.roost.model.Cause;
import dev.roost.model.Evidence;
import dev.roost.model.Notify;
import dev.roost.model.Outcome;
import dev.roost.model.Phase;
import dev.roost.model.RunEvent;
import dev.roost.model.Status;
import dev.roost.model.StopReason;
import dev.roost.model.Usage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How runs are accepted, queued and claimed. */
interface SubmissionContract extends LedgerFixture {

    @Test
    default void an_accepted_run_is_stored_unchanged() {
        var given = aRun(Optional.of("nightly"), OWNER);
        var accepted = submit(given);

        reopen();

        assertThat(find(given.id())).isEqualTo(accepted);
        assertThat(accepted.status()).isEqualTo(Status.QUEUED);
        assertThat(accepted.latest().phase()).contains(Phase.WAITING_FOR_SLOT);
        assertThat(accepted.name()).contains("nightly");
        assertThat(accepted.budget().maxTime()).contains(Duration.ofMinutes(30));
    }

    @Test
    default void an_accepted_run_with_a_worktree_and_every_cap_is_stored_unchanged() {
        var plain = aRun();
        var place = new WorktreeRecord.WorktreePlace(
                Path.of("/trees/one"), Path.of("/code/.git"), "abc", Optional.of("main"), Path.of("/code/part"));
        var given = new NewRun(
                plain.id(),
                Optional.of("nightly"),
                OWNER,
                "reviewer",
                "claude",
                "{\"model\":\"x\"}",
                "what to do",
                Path.of("/trees/one"),
                new Budget(
                        Optional.of(Duration.ofMinutes(5)), Optional.of(1L), Optional.of(2L), Optional.of(3), 1 << 20),
                false,
                2,
                Optional.of(submit(aRun()).id()),
                Notify.SILENT,
                Optional.of("bridge:9"),
                Optional.of(place));
        var accepted = submit(given);
        assertThat(accepted.work()).map(WorktreeRecord::place).contains(place);
        reopen();
        assertThat(find(given.id())).isEqualTo(accepted);
        assertThat(submit(given)).as("the same call again").isEqualTo(accepted);
    }

    @Test
    default void the_name_of_a_live_run_is_taken_and_a_refused_run_leaves_no_row() {
        var first = submit(aRun(Optional.of("nightly"), OWNER)).id();
        var second = aRun(Optional.of("nightly"), OWNER);

        assertThatThrownBy(() -> submit(second)).isInstanceOf(Refusal.class).hasMessageContaining(first.text());
        assertThat(ledger().runs().find(second.id())).isEmpty();

        ledger().requestStop(first, new StopReason.UserStop("operator"));
        submit(second);
        assertThat(ledger().runs()
                        .named("nightly", Optional.of(OWNER))
                        .getFirst()
                        .id())
                .isEqualTo(second.id());
    }

    @Test
    default void a_repeated_call_starts_no_second_run() {
        var plain = aRun();
        var first = ledger().submit(withCallKey(plain, "bridge:1"), Caps.NONE);
        var again = ledger().submit(withCallKey(aRun(), "bridge:1"), Caps.NONE);
        assertThat(again.id()).isEqualTo(first.id());
        assertThat(ledger().runs().findByCallKey("bridge:1")).isPresent();
        assertThat(ledger().runs().list(RunQuery.of(RunQuery.StatusFilter.ALL))).hasSize(1);
    }

    @Test
    default void an_imported_run_is_added_once_as_ended_and_read_without_a_notice() {
        var began = clock().now().minus(Duration.ofHours(3));
        var importedAttempt = new ImportedAttempt(
                began,
                began.plusSeconds(60),
                new Outcome.Abandoned(Cause.PERCH_LOST),
                Evidence.none().withNote("found"),
                new AttemptResult(Optional.of("half"), 4),
                5,
                Optional.of("thread-1"));
        var first = ledger().importRun(withCallKey(aRun(), "rescue:1"), importedAttempt);
        var again = ledger().importRun(withCallKey(aRun(), "rescue:1"), importedAttempt);
        reopen();
        assertThat(again.id()).isEqualTo(first.id());
        assertThat(ledger().runs().list(RunQuery.of(RunQuery.StatusFilter.ALL)))
                .singleElement()
                .satisfies(run -> {
                    assertThat(run.status()).isEqualTo(Status.ABANDONED);
                    assertThat(run.sessionId()).contains("thread-1");
                    assertThat(run.latest().startedAt()).contains(began);
                    assertThat(run.latest().endedAt()).contains(began.plusSeconds(60));
                    assertThat(run.latest().unread()).isFalse();
                });
        assertThat(ledger().runs().result(first.id(), 1)).contains("half");
        assertThat(ledger().notices().pending(Optional.empty())).isEmpty();
        assertThat(ledger().spend().spentToday(OWNER)).isEqualTo(Usage.NONE);
    }

    @Test
    default void owner_and_machine_caps_limit_the_claimed_slots() {
        var caps = new Caps(2, 3, Caps.Overflow.QUEUE);
        for (int i = 0; i < 4; i++) submit(aRun());
        for (int i = 0; i < 4; i++) submit(aRun(Optional.empty(), OTHER_OWNER));

        var claimed = new ArrayList<RunRecord>();
        for (var run = ledger().claimNext(caps); run.isPresent(); run = ledger().claimNext(caps))
            claimed.add(run.get());

        assertThat(claimed)
                .extracting(RunRecord::owner)
                .as("the owners alternate")
                .containsExactly(OWNER, OTHER_OWNER, OWNER);
        reopen();
        assertThat(ledger().claimNext(caps)).as("counts survive a restart").isEmpty();
        ledger().finish(claimed.getFirst().id(), 1, end(SUCCESS));
        assertThat(ledger().claimNext(caps)).as("an end frees its slot").isPresent();
        assertThat(ledger().claimNext(caps)).isEmpty();
    }

    @Test
    default void the_queue_is_in_order_for_each_owner_and_a_stopped_run_gives_up_its_place() {
        var one = new Caps(1, 1, Caps.Overflow.QUEUE);
        var first = submit(aRun()).id();
        var second = submit(aRun()).id();
        var third = submit(aRun()).id();
        assertThat(ledger().claimNext(one).orElseThrow().id()).isEqualTo(first);
        ledger().requestStop(second, new StopReason.UserStop("operator"));
        ledger().finish(first, 1, end(SUCCESS));
        assertThat(ledger().claimNext(one).orElseThrow().id()).isEqualTo(third);
    }

    @Test
    default void a_run_above_a_refusing_cap_is_refused_and_leaves_no_row() {
        var caps = new Caps(2, 3, Caps.Overflow.REFUSE);
        ledger().submit(aRun(), caps);
        ledger().submit(aRun(), caps);
        var tooMany = aRun();
        assertThatThrownBy(() -> ledger().submit(tooMany, caps))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("owner");
        assertThat(ledger().runs().find(tooMany.id())).isEmpty();
        ledger().submit(aRun(Optional.empty(), OTHER_OWNER), caps);
        assertThatThrownBy(() -> ledger().submit(aRun(Optional.empty(), OTHER_OWNER), caps))
                .hasMessageContaining("machine");
    }

    @Test
    default void a_refusing_cap_holds_against_concurrent_submissions() throws Exception {
        var caps = new Caps(1, 1, Caps.Overflow.QUEUE).refusingMoreThan(3);
        var accepted = concurrently(16, _ -> {
            try {
                return ledger().submit(aRun(), caps).latest().n() == 1;
            } catch (Refusal e) {
                return false;
            }
        });
        assertThat(accepted.stream().filter(won -> won)).hasSize(3);
        ledger().submit(aRun(Optional.empty(), OTHER_OWNER), caps);
        var strict = new Caps(2, 9, Caps.Overflow.REFUSE);
        assertThat(strict.refusingMoreThan(3)).isEqualTo(strict);
        assertThat(strict.refusingMoreThan(1)).isEqualTo(new Caps(1, 9, Caps.Overflow.REFUSE));
    }

    @Test
    default void concurrent_claims_never_exceed_the_cap() throws Exception {
        var caps = new Caps(3, 100, Caps.Overflow.QUEUE);
        for (int i = 0; i < 20; i++) submit(aRun());
        assertThat(concurrently(16, _ -> ledger().claimNext(caps).isPresent()).stream()
                        .filter(won -> won))
                .hasSize(3);
    }

    @Test
    default void a_parked_run_is_claimed_after_its_time_and_not_before() {
        var run = running();
        var until = clock().now().plus(Duration.ofHours(1));
        ledger().finish(run, 1, end(new RunEvent.Parked(until)));
        reopen();
        assertThat(find(run).latest().phase()).contains(Phase.PARKED);
        assertThat(find(run).latest().parkedUntil()).contains(until);
        assertThat(ledger().notices().pending(Optional.empty()))
                .as("the run continues")
                .isEmpty();
        assertThat(ledger().claimNext(Caps.NONE)).isEmpty();
        clock().advance(Duration.ofMinutes(61));
        assertThat(ledger().claimNext(Caps.NONE)).hasValueSatisfying(claimed -> {
            assertThat(claimed.id()).isEqualTo(run);
            assertThat(claimed.latest().n()).isEqualTo(2);
            assertThat(claimed.latest().turn()).isEqualTo(1);
            assertThat(claimed.latest().position().outputBytes())
                    .as("appends to the output")
                    .isEqualTo(9);
        });
    }

    private NewRun withCallKey(NewRun plain, String key) {
        return withTerms(plain, Notify.DONE, Optional.of(key), Optional.empty());
    }
}
