package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.roost.house.ManualClock;
import dev.roost.run.Budget;
import dev.roost.run.Caps;
import dev.roost.run.Cause;
import dev.roost.run.EventKind;
import dev.roost.run.Evidence;
import dev.roost.run.Exit;
import dev.roost.run.Faults;
import dev.roost.run.Notify;
import dev.roost.run.Outcome;
import dev.roost.run.Owner;
import dev.roost.run.ParentEvent;
import dev.roost.run.Phase;
import dev.roost.run.ProcessId;
import dev.roost.run.Question;
import dev.roost.run.Refused;
import dev.roost.run.RunEvent;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import dev.roost.run.Stop;
import dev.roost.run.Usage;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What any ledger must do, races included. */
public abstract class LedgerContract {

    protected static final Owner PARENT = new Owner("claude:parent");
    protected static final Owner STRANGER = new Owner("claude:stranger");
    private static final RunEvent SUCCESS = new RunEvent.Exited(new Outcome.Completed());

    protected final ManualClock clock = new ManualClock();
    protected Ledger ledger;

    protected abstract Ledger open();

    @BeforeEach
    void openLedger() {
        ledger = open();
    }

    @AfterEach
    void closeLedger() {
        ledger.close();
    }

    private void reopen() {
        ledger.close();
        ledger = open();
    }

    protected NewRun aRun() {
        return aRun(Optional.empty(), PARENT);
    }

    protected NewRun aRun(Optional<String> name, Owner owner) {
        return new NewRun(
                RunId.create(clock.now()),
                name,
                owner,
                "command",
                "command",
                "{}",
                "make test",
                Path.of("/"),
                Budget.ofOutput(1 << 30).withMaxTime(Optional.of(Duration.ofMinutes(30))),
                true,
                1,
                Optional.empty());
    }

    protected Run submit(NewRun run) {
        return ledger.submit(run, Caps.NONE);
    }

    protected RunId running() {
        submit(aRun());
        return ledger.claimNext(Caps.NONE).orElseThrow().id();
    }

    protected End end(RunEvent how) {
        return end(how, "the result");
    }

    private End end(RunEvent how, String result) {
        var text = Optional.of(result).filter(some -> !some.isEmpty());
        return new End(
                how,
                clock.now(),
                Evidence.none(),
                new Result(text, result.length()),
                Progress.of(new Position(7, 9, 11)));
    }

    private Run find(RunId run) {
        return ledger.find(run).orElseThrow();
    }

    @Test
    void an_accepted_run_is_found_again_exactly_as_it_was() {
        var given = aRun(Optional.of("nightly"), PARENT);
        var accepted = submit(given);

        reopen();

        assertThat(find(given.id())).isEqualTo(accepted);
        assertThat(accepted.status()).isEqualTo(Status.QUEUED);
        assertThat(accepted.latest().phase()).contains(Phase.WAITING_FOR_SLOT);
        assertThat(accepted.name()).contains("nightly");
        assertThat(accepted.budget().maxTime()).contains(Duration.ofMinutes(30));
    }

    @Test
    void so_is_one_with_a_worktree_of_its_own_and_every_cap() {
        var plain = aRun();
        var place = new Work.Place(
                Path.of("/trees/one"), Path.of("/code/.git"), "abc", Optional.of("main"), Path.of("/code/part"));
        var given = new NewRun(
                plain.id(),
                Optional.of("nightly"),
                PARENT,
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
        assertThat(accepted.work()).map(Work::place).contains(place);
        reopen();
        assertThat(find(given.id())).isEqualTo(accepted);
        assertThat(submit(given)).as("the same call again").isEqualTo(accepted);
    }

    @Test
    void end_result_and_notice_come_together() {
        var run = running();
        assertThat(ledger.notices().pending(Optional.empty())).isEmpty();

        assertThat(ledger.finish(run, 1, end(SUCCESS))).isTrue();
        reopen();

        assertThat(find(run).status()).isEqualTo(Status.COMPLETED);
        assertThat(find(run).latest().cause()).contains(Cause.FINISHED);
        assertThat(find(run).latest().unread()).isTrue();
        assertThat(find(run).latest().position()).isEqualTo(new Position(7, 9, 11));
        assertThat(ledger.result(run, 1)).contains("the result");
        assertThat(ledger.notices().pending(Optional.of(PARENT)))
                .singleElement()
                .satisfies(notice -> {
                    assertThat(notice.ofRun().orElseThrow().run().id()).isEqualTo(run);
                    assertThat(notice.ofRun().orElseThrow().attempt().status()).isEqualTo(Status.COMPLETED);
                });
    }

    @Test
    void evidence_comes_back_as_it_was_given() {
        var run = running();
        var evidence = new Evidence(
                Optional.of(new Exit(137, true)),
                Optional.of(new ProcessId(42, 4711)),
                Optional.of("boot"),
                Optional.of(Instant.parse("2026-11-15T03:00:00Z")),
                Optional.of(Duration.ofMinutes(5)),
                Optional.of(Duration.ofHours(16)),
                "oh no\n",
                List.of("43 sleep 1000"),
                Optional.of("a note"));
        ledger.finish(run, 1, new End(SUCCESS, clock.now(), evidence, Result.none(), Progress.of(Position.START)));

        assertThat(find(run).latest().evidence()).contains(evidence);
    }

    @Test
    void the_first_end_wins_and_late_news_is_kept_as_an_event() {
        var run = running();
        ledger.finish(run, 1, end(new RunEvent.Lost(Cause.PERCH_LOST, false)));

        assertThat(ledger.finish(run, 1, end(SUCCESS, "too late"))).isFalse();

        assertThat(find(run).status()).isEqualTo(Status.ABANDONED);
        assertThat(ledger.result(run, 1)).contains("the result");
        assertThat(ledger.notices().pending(Optional.empty())).hasSize(1);
        assertThat(ledger.events(run)).extracting(Event::kind).endsWith("late");
    }

    @Test
    void an_old_attempt_can_change_nothing() {
        var run = running();
        ledger.finish(run, 1, end(new RunEvent.Lost(Cause.HOST_REBOOT, true)));
        assertThat(find(run).latest().n()).isEqualTo(2);
        assertThat(find(run).status()).isEqualTo(Status.QUEUED);
        assertThat(find(run).latest().phase()).contains(Phase.RESUMING);
        assertThat(ledger.notices().pending(Optional.empty()))
                .as("a resumed loss is not an end")
                .isEmpty();
        assertThat(ledger.claimNext(Caps.NONE).orElseThrow().latest().n()).isEqualTo(2);

        assertThat(ledger.finish(run, 1, end(SUCCESS))).isFalse();
        assertThat(ledger.began(run, 1, new Began(new ProcessId(1, 1), new ProcessId(2, 2), "boot", 0, 0)))
                .isFalse();
        assertThat(ledger.progressed(run, 1, Progress.of(new Position(1, 1, 1))))
                .isFalse();

        assertThat(find(run).status()).isEqualTo(Status.RUNNING);
        assertThat(find(run).latest().began()).isEmpty();
        assertThat(ledger.attempts(run)).extracting(Attempt::status).containsExactly(Status.ABANDONED, Status.RUNNING);
    }

    @Test
    void a_queued_run_that_is_stopped_ends_at_once_with_its_notice() {
        var run = submit(aRun()).id();
        var stopped = ledger.requestStop(run, new Stop.ByUser("operator")).orElseThrow();

        assertThat(stopped.status()).isEqualTo(Status.CANCELED_BY_USER);
        assertThat(ledger.notices().pending(Optional.of(PARENT))).hasSize(1);
        assertThat(ledger.claimNext(Caps.NONE)).isEmpty();
    }

    @Test
    void a_running_run_that_is_stopped_says_so_until_it_has_ended() {
        var run = running();
        var stopping = ledger.requestStop(run, new Stop.ByUser("operator")).orElseThrow();
        assertThat(stopping.status()).isEqualTo(Status.RUNNING);
        assertThat(stopping.latest().phase()).contains(Phase.STOPPING);
        assertThat(stopping.latest().stopping()).contains(new Stop.ByUser("operator"));

        ledger.requestStop(run, new Stop.ByUser(PARENT.id()));
        ledger.finish(run, 1, end(SUCCESS));

        assertThat(find(run).status()).isEqualTo(Status.CANCELED_BY_USER);
        assertThat(find(run).latest().stopping()).as("the first stop counts").contains(new Stop.ByUser("operator"));
    }

    @Test
    void an_attempt_that_overspent_and_is_another_by_now_stops_nobody() {
        var run = running();
        ledger.finish(run, 1, end(new RunEvent.Lost(Cause.WORKER_LOST, true)));
        ledger.requestStop(run, 1, new Stop.OverBudget(Cause.BUDGET_TIME));
        assertThat(find(run).status()).isEqualTo(Status.QUEUED);
        ledger.claimNext(Caps.NONE);
        ledger.requestStop(run, 1, new Stop.OverBudget(Cause.BUDGET_TIME));
        assertThat(find(run).latest().stopping()).isEmpty();
        ledger.requestStop(run, 2, new Stop.OverBudget(Cause.BUDGET_TIME));
        assertThat(find(run).latest().stopping()).isPresent();
    }

    @Test
    void stopping_an_ended_run_changes_nothing() {
        var run = running();
        ledger.finish(run, 1, end(SUCCESS));
        var before = find(run);

        assertThat(ledger.requestStop(run, new Stop.ByUser("operator"))).contains(before);
        assertThat(ledger.requestStop(RunId.create(clock.now()), new Stop.ByUser("operator")))
                .isEmpty();
    }

    @Test
    void reading_clears_unread_once_and_acknowledges_the_notice() {
        var run = running();
        assertThat(ledger.notices().read(run, 1))
                .as("a live run cannot be read to the end")
                .isFalse();
        ledger.finish(run, 1, end(SUCCESS));

        assertThat(ledger.notices().read(run, 1)).isTrue();
        assertThat(ledger.notices().read(run, 1)).isFalse();

        assertThat(find(run).latest().unread()).isFalse();
        assertThat(ledger.notices().pending(Optional.empty())).isEmpty();
        assertThat(ledger.result(run, 1)).as("reading destroys nothing").contains("the result");
    }

    @Test
    void a_notice_is_acknowledged_once_and_only_by_its_owner() {
        var run = running();
        ledger.finish(run, 1, end(SUCCESS));
        long notice = ledger.notices().pending(Optional.empty()).getFirst().id();

        assertThat(ledger.notices().acknowledge(List.of(notice), Optional.of(STRANGER)))
                .isEmpty();
        assertThat(ledger.notices().acknowledge(List.of(notice, 4711L), Optional.of(PARENT)))
                .containsExactly(notice);
        assertThat(ledger.notices().acknowledge(List.of(notice), Optional.of(PARENT)))
                .isEmpty();
        assertThat(find(run).latest().unread()).as("told is not read").isTrue();
    }

    @Test
    void lists_show_newest_first_and_page_without_gaps() {
        var all = new ArrayList<RunId>();
        for (int i = 0; i < 7; i++) all.addFirst(submit(aRun()).id());
        submit(aRun(Optional.empty(), STRANGER));

        var seen = new ArrayList<RunId>();
        Optional<RunId> before = Optional.empty();
        do {
            var page = ledger.list(new Query(Query.Which.ALL, Optional.of(PARENT), 3, before));
            page.forEach(run -> seen.add(run.id()));
            before = page.isEmpty()
                    ? Optional.empty()
                    : Optional.of(page.getLast().id());
        } while (before.isPresent());
        assertThat(seen).isEqualTo(all);
    }

    private List<RunId> narrowed(Optional<String> agent, Optional<Status> status, Optional<String> text) {
        var query = new Query(
                Query.Which.ALL, Optional.empty(), 100, Optional.empty(), new Query.Narrowed(agent, status, text));
        return ledger.list(query).stream().map(Run::id).toList();
    }

    @Test
    void lists_are_narrowed_by_agent_state_and_a_text_that_is_meant_as_it_stands() {
        var plain = running();
        var named = submit(aRun(Optional.of("100% done_or_not"), PARENT)).id();
        ledger.finish(plain, 1, end(SUCCESS));
        Optional<String> any = Optional.empty();
        Optional<Status> whichever = Optional.empty();

        assertThat(narrowed(any, whichever, any)).containsExactly(named, plain);
        assertThat(narrowed(Optional.of("command"), whichever, any)).hasSize(2);
        assertThat(narrowed(Optional.of("claude"), whichever, any)).isEmpty();
        assertThat(narrowed(any, Optional.of(Status.COMPLETED), any)).containsExactly(plain);
        assertThat(narrowed(any, Optional.of(Status.QUEUED), any)).containsExactly(named);
        assertThat(narrowed(any, whichever, Optional.of("MAKE t"))).hasSize(2);
        assertThat(narrowed(any, whichever, Optional.of(named.text()))).containsExactly(named);
        assertThat(narrowed(any, whichever, Optional.of("0% done"))).containsExactly(named);
        for (var wildcard : List.of("make%", "m_ke", "*", "?", "make test\u0000", "'", "%\\"))
            assertThat(narrowed(any, whichever, Optional.of(wildcard)))
                    .as(wildcard)
                    .isEmpty();
        assertThat(narrowed(any, whichever, Optional.of("%"))).containsExactly(named);
        assertThat(narrowed(any, whichever, Optional.of("_"))).as("in every id").hasSize(2);
        assertThat(narrowed(Optional.of("command"), Optional.of(Status.QUEUED), Optional.of("make")))
                .containsExactly(named);
    }

    @Test
    void what_happens_is_told_in_the_order_of_its_commits_none_skipped_and_none_twice() throws Exception {
        assertThat(ledger.happenings().newest()).isZero();
        try (var threads = Executors.newFixedThreadPool(4)) {
            var writers = new ArrayList<Future<?>>();
            for (int i = 0; i < 4; i++) {
                var owner = i % 2 == 0 ? PARENT : STRANGER;
                writers.add(threads.submit(() -> {
                    for (int j = 0; j < 100; j++) {
                        var run = submit(aRun(Optional.empty(), owner)).id();
                        ledger.note(run, 1, EventKind.TROUBLE, "once");
                    }
                }));
            }
            var seen = new ArrayList<Long>();
            var own = new ArrayList<Happening>();
            long all = 0;
            long mine = 0;
            boolean over = false;
            while (true) {
                var page = ledger.happenings().after(all, Optional.empty(), 7);
                page.events().forEach(event -> seen.add(event.seq()));
                var ours = ledger.happenings().after(mine, Optional.of(PARENT), 50);
                own.addAll(ours.events());
                if (over && page.events().isEmpty() && ours.events().isEmpty()) break;
                over = writers.stream().allMatch(Future::isDone);
                all = page.upTo();
                mine = ours.upTo();
            }
            for (var writer : writers) writer.get();
            assertThat(seen).hasSize(800).isSorted().doesNotHaveDuplicates();
            assertThat(seen.getLast()).isEqualTo(ledger.happenings().newest());
            assertThat(own).hasSize(400).allMatch(event -> event.owner().equals(PARENT));
            assertThat(own).extracting(Happening::seq).isSorted().doesNotHaveDuplicates();
        }
    }

    @Test
    void a_number_is_not_given_again_when_its_run_is_gone() {
        var run = running();
        ledger.finish(run, 1, end(SUCCESS));
        long before = ledger.happenings().newest();
        assertThat(ledger.remove(run)).isTrue();
        assertThat(ledger.happenings().newest()).isEqualTo(before);
        assertThat(ledger.happenings().after(0, Optional.empty(), 100))
                .isEqualTo(new Happenings.Page(List.of(), before));
        reopen();
        submit(aRun());
        assertThat(ledger.happenings().after(before, Optional.empty(), 100).events())
                .extracting(Happening::seq)
                .containsExactly(before + 1);
    }

    @Test
    void where_an_attempt_is_happens_too_each_time_it_is_another_place() {
        var run = running();
        ledger.phase(run, 1, Phase.WORKING, Optional.empty());
        ledger.phase(run, 1, Phase.QUIET, Optional.empty());
        ledger.phase(run, 1, Phase.QUIET, Optional.empty());
        ledger.phase(run, 2, Phase.WORKING, Optional.empty());
        assertThat(ledger.events(run))
                .filteredOn(event -> event.kind().equals("phase"))
                .extracting(Event::text)
                .containsExactly("working", "quiet");
    }

    @Test
    void owners_are_tallied_by_what_is_live_and_unread_and_days_by_what_they_cost() {
        var live = running();
        var ended = running();
        ledger.progressed(live, 1, used(120, 5_000));
        ledger.finish(ended, 1, end(SUCCESS));
        submit(aRun(Optional.empty(), STRANGER));

        assertThat(ledger.tallies().owners(Optional.empty()))
                .containsExactly(new Tallies.OfOwner(PARENT, 1, 1), new Tallies.OfOwner(STRANGER, 1, 0));
        assertThat(ledger.tallies().owners(Optional.of(STRANGER))).containsExactly(new Tallies.OfOwner(STRANGER, 1, 0));
        var today = java.time.LocalDate.ofInstant(clock.now(), java.time.ZoneOffset.UTC);
        assertThat(ledger.tallies().spent(today, Optional.empty()))
                .containsExactly(new Tallies.Spent(today, PARENT, 120, 5_000));
        assertThat(ledger.tallies().spent(today.plusDays(1), Optional.empty())).isEmpty();
        assertThat(ledger.tallies().spent(today, Optional.of(STRANGER))).isEmpty();
    }

    @Test
    void active_means_live_or_unread() {
        var live = running();
        var unread = running();
        ledger.finish(unread, 1, end(SUCCESS));
        var read = running();
        ledger.finish(read, 1, end(SUCCESS));
        ledger.notices().read(read, 1);

        assertThat(ids(Query.Which.ACTIVE)).containsExactly(unread, live);
        assertThat(ids(Query.Which.LIVE)).containsExactly(live);
        assertThat(ids(Query.Which.UNREAD)).containsExactly(unread);
        assertThat(ids(Query.Which.ALL)).containsExactly(read, unread, live);
    }

    private List<RunId> ids(Query.Which which) {
        return ledger.list(Query.of(which)).stream().map(Run::id).toList();
    }

    @Test
    void names_and_beginnings_resolve_inside_the_scope_only() {
        var mine = submit(aRun(Optional.of("nightly"), PARENT)).id();
        var theirs = submit(aRun(Optional.of("nightly"), STRANGER)).id();

        assertThat(ledger.named("nightly", Optional.of(PARENT)))
                .extracting(Run::id)
                .containsExactly(mine);
        assertThat(ledger.named("nightly", Optional.empty()))
                .extracting(Run::id)
                .containsExactly(theirs, mine);
        assertThat(ledger.named(mine.text().substring(0, 12), Optional.empty()))
                .extracting(Run::id)
                .contains(mine);
        assertThat(ledger.named(theirs.text(), Optional.of(PARENT))).isEmpty();
        assertThat(ledger.named("%", Optional.empty()))
                .as("no wildcard slips in")
                .isEmpty();
    }

    @Test
    void a_live_run_keeps_its_name_to_itself_and_a_refused_one_leaves_no_row() {
        var first = submit(aRun(Optional.of("nightly"), PARENT)).id();
        var second = aRun(Optional.of("nightly"), PARENT);

        assertThatThrownBy(() -> submit(second)).isInstanceOf(Refused.class).hasMessageContaining(first.text());
        assertThat(ledger.find(second.id())).isEmpty();

        ledger.requestStop(first, new Stop.ByUser("operator"));
        submit(second);
        assertThat(ledger.named("nightly", Optional.of(PARENT)).getFirst().id()).isEqualTo(second.id());
    }

    @Test
    void of_many_who_claim_or_end_one_attempt_at_once_exactly_one_wins() throws Exception {
        for (int round = 0; round < 20; round++) {
            var run = submit(aRun()).id();
            assertThat(atOnce(16, _ -> ledger.claimNext(Caps.NONE).isPresent())).containsOnlyOnce(true);
            assertThat(atOnce(
                            16,
                            i -> ledger.finish(
                                    run, 1, end(i % 2 == 0 ? SUCCESS : new RunEvent.Lost(Cause.PERCH_LOST, false)))))
                    .containsOnlyOnce(true);
            assertThat(ledger.notices().of(run)).hasSize(1);
        }
    }

    @Test
    void a_stop_that_races_with_an_end_never_leaves_two_ends_or_none() throws Exception {
        for (int round = 0; round < 40; round++) {
            var run = running();
            atOnce(
                    2,
                    i -> i == 0
                            ? ledger.finish(run, 1, end(SUCCESS))
                            : ledger.requestStop(run, new Stop.ByUser("operator"))
                                    .isPresent());
            assertThat(find(run).status()).isIn(Status.COMPLETED, Status.CANCELED_BY_USER);
            assertThat(ledger.notices().of(run)).hasSize(1);
        }
    }

    @Test
    void once_a_reader_saw_the_end_no_reader_sees_it_running_again() throws Exception {
        var run = running();
        var seen = new ConcurrentLinkedQueue<Boolean>();
        atOnce(9, i -> {
            if (i == 0) return ledger.finish(run, 1, end(SUCCESS));
            boolean ended = false;
            for (int n = 0; n < 200; n++) {
                boolean before = !seen.isEmpty();
                boolean now = find(run).status().ended();
                if (before) assertThat(now).as("somebody had seen the end").isTrue();
                if (now) seen.add(true);
                ended |= now;
            }
            return ended;
        });
    }

    @Test
    void no_owner_and_no_machine_gets_more_slots_than_it_may_have() {
        var caps = new Caps(2, 3, Caps.Overflow.QUEUE);
        for (int i = 0; i < 4; i++) submit(aRun());
        for (int i = 0; i < 4; i++) submit(aRun(Optional.empty(), STRANGER));

        var claimed = new ArrayList<Run>();
        for (var run = ledger.claimNext(caps); run.isPresent(); run = ledger.claimNext(caps)) claimed.add(run.get());

        assertThat(claimed).extracting(Run::owner).as("by turns").containsExactly(PARENT, STRANGER, PARENT);
        reopen();
        assertThat(ledger.claimNext(caps)).as("counts survive a restart").isEmpty();
        ledger.finish(claimed.getFirst().id(), 1, end(SUCCESS));
        assertThat(ledger.claimNext(caps)).as("an end frees its slot").isPresent();
        assertThat(ledger.claimNext(caps)).isEmpty();
    }

    @Test
    void the_queue_is_in_order_for_each_owner_and_a_stopped_run_gives_up_its_place() {
        var one = new Caps(1, 1, Caps.Overflow.QUEUE);
        var first = submit(aRun()).id();
        var second = submit(aRun()).id();
        var third = submit(aRun()).id();
        assertThat(ledger.claimNext(one).orElseThrow().id()).isEqualTo(first);
        ledger.requestStop(second, new Stop.ByUser("operator"));
        ledger.finish(first, 1, end(SUCCESS));
        assertThat(ledger.claimNext(one).orElseThrow().id()).isEqualTo(third);
    }

    @Test
    void one_too_many_is_refused_where_that_is_the_rule_and_leaves_no_row() {
        var caps = new Caps(2, 3, Caps.Overflow.REFUSE);
        ledger.submit(aRun(), caps);
        ledger.submit(aRun(), caps);
        var tooMany = aRun();
        assertThatThrownBy(() -> ledger.submit(tooMany, caps))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("owner");
        assertThat(ledger.find(tooMany.id())).isEmpty();
        ledger.submit(aRun(Optional.empty(), STRANGER), caps);
        assertThatThrownBy(() -> ledger.submit(aRun(Optional.empty(), STRANGER), caps))
                .hasMessageContaining("machine");
    }

    @Test
    void slots_are_never_given_twice_however_many_ask_at_once() throws Exception {
        var caps = new Caps(3, 100, Caps.Overflow.QUEUE);
        for (int i = 0; i < 20; i++) submit(aRun());
        assertThat(atOnce(16, _ -> ledger.claimNext(caps).isPresent()).stream().filter(won -> won))
                .hasSize(3);
    }

    @Test
    void what_an_owner_spent_is_what_its_runs_used_also_where_an_estimate_was_too_high() {
        var run = running();
        ledger.progressed(run, 1, used(100, 6000));
        ledger.progressed(run, 1, used(100, 6000));
        ledger.progressed(run, 1, used(90, 5000));
        ledger.progressed(run, 1, used(120, 7000));
        assertThat(ledger.spentToday(PARENT).tokens()).isEqualTo(120);
        assertThat(ledger.spentToday(PARENT).costMicros()).contains(7000L);
    }

    @Test
    void commits_are_announced_after_they_happened() {
        var statuses = new ConcurrentLinkedQueue<Status>();
        var run = running();
        ledger.onCommit(runs -> {
            if (runs.contains(run)) statuses.add(find(run).status());
        });
        ledger.finish(run, 1, end(SUCCESS));
        assertThat(statuses).containsExactly(Status.COMPLETED);
    }

    @Test
    void in_any_order_of_calls_every_end_has_exactly_one_notice() {
        for (long seed = 0; seed < 60; seed++) {
            var random = new Random(seed);
            var run = submit(aRun()).id();
            for (int i = 0; i < 10; i++) {
                int attempt = 1 + random.nextInt(3);
                switch (random.nextInt(5)) {
                    case 0 -> ledger.claimNext(Caps.NONE);
                    case 1 -> ledger.requestStop(run, new Stop.ByUser("operator"));
                    case 2 -> ledger.finish(run, attempt, end(SUCCESS));
                    case 3 ->
                        ledger.finish(run, attempt, end(new RunEvent.Lost(Cause.PERCH_LOST, random.nextBoolean())));
                    default -> ledger.notices().read(run, attempt);
                }
            }
            var latest = find(run).latest();
            assertThat(ledger.notices().of(run))
                    .as("seed %d", seed)
                    .hasSize(latest.status().ended() ? 1 : 0);
            var earlier = ledger.attempts(run).subList(0, latest.n() - 1);
            assertThat(earlier)
                    .as("seed %d", seed)
                    .allMatch(attempt -> attempt.status().ended());
        }
    }

    private static Progress used(long tokens, long micros) {
        return new Progress(
                Position.START,
                new Usage(tokens, 0, 0, Optional.of(micros), 1),
                Duration.ofSeconds(1),
                Duration.ZERO,
                Optional.of("conversation"));
    }

    @Test
    void what_a_run_uses_is_its_owners_spending_of_the_day_and_counted_once() {
        var run = running();
        ledger.progressed(run, 1, used(100, 10));
        ledger.progressed(run, 1, used(100, 10));
        ledger.progressed(run, 1, used(250, 30));
        reopen();
        assertThat(ledger.spentToday(PARENT).tokens()).isEqualTo(250);
        assertThat(ledger.spentToday(PARENT).costMicros()).contains(30L);
        assertThat(find(run).sessionId()).contains("conversation");
        ledger.finish(run, 1, new End(SUCCESS, clock.now(), Evidence.none(), Result.none(), used(300, 40)));
        assertThat(ledger.spentToday(PARENT).tokens()).isEqualTo(300);
        assertThat(ledger.progressed(run, 1, used(999, 99))).as("too late").isFalse();
        clock.advance(Duration.ofDays(1));
        assertThat(ledger.spentToday(PARENT).tokens()).as("another day").isZero();
        assertThat(ledger.spentToday(new Owner("claude:other")).tokens()).isZero();
    }

    @Test
    void a_question_comes_with_its_notice_and_neither_outlives_the_attempt() {
        var run = running();
        var question = new Question("q1", Question.Kind.PERMISSION, "git push");
        assertThat(ledger.phase(run, 1, Phase.NEEDS_INPUT, Optional.of(question)))
                .isTrue();
        reopen();
        assertThat(find(run).latest().asked().orElseThrow().question()).isEqualTo(question);
        assertThat(ledger.notices().pending(Optional.empty()))
                .singleElement()
                .satisfies(notice -> assertThat(notice.kind()).isEqualTo("needs_input"));
        ledger.finish(run, 1, end(SUCCESS));
        assertThat(find(run).latest().asked()).isEmpty();
        assertThat(ledger.notices().pending(Optional.empty()))
                .singleElement()
                .satisfies(notice -> assertThat(notice.kind()).isEqualTo("ended"));
        assertThat(ledger.phase(run, 1, Phase.WORKING, Optional.empty()))
                .as("too late")
                .isFalse();
    }

    @Test
    void a_question_keeps_nobody_waiting_once_it_is_answered_or_its_attempt_stopped_or_lost() {
        var question = Optional.of(new Question("q1", Question.Kind.PERMISSION, "git push"));
        var run = running();
        ledger.phase(run, 1, Phase.NEEDS_INPUT, question);
        ledger.phase(run, 1, Phase.WORKING, Optional.empty());
        assertThat(ledger.notices().pending(Optional.empty())).as("answered").isEmpty();

        ledger.phase(run, 1, Phase.NEEDS_INPUT, question);
        ledger.finish(run, 1, end(new RunEvent.Lost(Cause.PERCH_LOST, true)));
        assertThat(ledger.notices().pending(Optional.empty())).as("lost").isEmpty();

        ledger.claimNext(Caps.NONE);
        ledger.phase(run, 2, Phase.NEEDS_INPUT, question);
        ledger.requestStop(run, Stop.of(Cause.STOPPED, "operator"));
        ledger.finish(run, 2, end(new RunEvent.Exited(new Outcome.Canceled())));
        assertThat(ledger.notices().pending(Optional.empty()))
                .as("stopped")
                .extracting(Notice::kind)
                .containsExactly("ended");
    }

    @Test
    void each_line_has_one_number_however_often_it_is_sent() {
        var run = running();
        var letter = ledger.letters()
                .post(
                        run,
                        1,
                        Letter.Kind.WORDS,
                        Optional.empty(),
                        new Letters.Words("hello", "operator", Optional.empty()))
                .orElseThrow();
        assertThat(ledger.letters().of(run, 1))
                .singleElement()
                .satisfies(one -> assertThat(one.delivered()).isFalse());
        var lines = List.of(new Line(0, letter.key(), Optional.of("a line")), new Line(0, "end", Optional.empty()));
        assertThat(ledger.letters().send(run, 1, lines)).extracting(Line::n).containsExactly(2, 3);
        assertThat(ledger.letters().send(run, 1, lines)).isEmpty();
        reopen();
        assertThat(ledger.letters().sent(run, 1)).extracting(Line::key).containsExactly(letter.key(), "end");
        assertThat(ledger.letters().of(run, 1))
                .singleElement()
                .satisfies(one -> assertThat(one.delivered()).isTrue());
        ledger.finish(run, 1, end(SUCCESS));
        assertThat(ledger.letters()
                        .post(
                                run,
                                1,
                                Letter.Kind.WORDS,
                                Optional.empty(),
                                new Letters.Words("late", "operator", Optional.empty())))
                .isEmpty();
        assertThat(ledger.letters().send(run, 1, List.of(new Line(0, "late", Optional.of("x")))))
                .isEmpty();
    }

    @Test
    void a_parked_run_is_claimed_when_its_time_has_come_and_not_before() {
        var run = running();
        var until = clock.now().plus(Duration.ofHours(1));
        ledger.finish(run, 1, end(new RunEvent.Parked(until)));
        reopen();
        assertThat(find(run).latest().phase()).contains(Phase.PARKED);
        assertThat(find(run).latest().parkedUntil()).contains(until);
        assertThat(ledger.notices().pending(Optional.empty()))
                .as("the run goes on")
                .isEmpty();
        assertThat(ledger.claimNext(Caps.NONE)).isEmpty();
        clock.advance(Duration.ofMinutes(61));
        assertThat(ledger.claimNext(Caps.NONE)).hasValueSatisfying(claimed -> {
            assertThat(claimed.id()).isEqualTo(run);
            assertThat(claimed.latest().n()).isEqualTo(2);
            assertThat(claimed.latest().turn()).isEqualTo(1);
            assertThat(claimed.latest().position().outputBytes())
                    .as("goes on writing where it was")
                    .isEqualTo(9);
        });
    }

    @Test
    void an_ended_run_is_continued_once_by_whoever_comes_first() throws Exception {
        var run = running();
        ledger.finish(run, 1, end(SUCCESS));
        var won = atOnce(
                8,
                _ -> ledger.continueAfter(run, 1, "operator", Optional.empty(), new Position(0, 20, 0))
                        .isPresent());
        assertThat(won).containsOnlyOnce(true);
        assertThat(find(run).latest().n()).isEqualTo(2);
        assertThat(find(run).latest().turn()).isEqualTo(2);
        assertThat(find(run).status()).isEqualTo(Status.QUEUED);
    }

    @Test
    void a_token_is_found_by_the_hash_of_its_secret_until_it_is_revoked() {
        var month = clock.now().plus(Duration.ofDays(30));
        var token = new Token("t_one", "cafe", PARENT, "{}", clock.now(), Optional.of(month), Optional.empty());
        ledger.tokens().add(token);
        ledger.tokens()
                .add(new Token("t_two", "beef", STRANGER, "{}", clock.now(), Optional.empty(), Optional.empty()));
        reopen();
        assertThat(ledger.tokens().find("cafe")).contains(token);
        assertThat(ledger.tokens().find("CAFE")).isEmpty();
        assertThat(token.expired(month.minusMillis(1))).isFalse();
        assertThat(token.expired(month)).isTrue();

        clock.advance(Duration.ofMinutes(5));
        assertThat(ledger.tokens().used("t_one")).isTrue();
        assertThat(ledger.tokens().find("cafe").flatMap(Token::usedAt)).contains(clock.now());

        assertThat(ledger.tokens().revoke("t_one")).isTrue();
        assertThat(ledger.tokens().revoke("t_one")).isFalse();
        assertThat(ledger.tokens().used("t_one")).isFalse();
        assertThat(ledger.tokens().find("cafe")).isEmpty();
        assertThat(ledger.tokens().all()).extracting(Token::id).containsExactly("t_two");
    }

    private interface Racer {
        boolean run(int i) throws Exception;
    }

    private static List<Boolean> atOnce(int n, Racer racer) throws Exception {
        try (var threads = Executors.newFixedThreadPool(n)) {
            var racers = new ArrayList<Callable<Boolean>>();
            for (int i = 0; i < n; i++) {
                int me = i;
                racers.add(() -> racer.run(me));
            }
            var results = new ArrayList<Boolean>();
            for (Future<Boolean> one : threads.invokeAll(racers)) results.add(one.get());
            return results;
        }
    }

    private Heard hear(Owner owner, ParentEvent event) {
        clock.advance(Duration.ofSeconds(1));
        return ledger.sessions()
                .hear(
                        new Report(owner, "claude-code", Optional.of("/project"), Optional.empty(), event),
                        (_, _) -> true);
    }

    private Offer given(Heard heard) {
        var offer = heard.offer().orElseThrow();
        assertThat(ledger.sessions().written(offer.id())).isTrue();
        return offer;
    }

    private Run running(NewRun run) {
        ledger.submit(run, Caps.NONE);
        return ledger.claimNext(Caps.NONE).orElseThrow();
    }

    private Run ended(Owner owner) {
        var run = running(aRun(Optional.empty(), owner));
        assertThat(ledger.finish(run.id(), 1, end(SUCCESS, "done"))).isTrue();
        return run;
    }

    @Test
    void what_is_pending_is_offered_once_a_turn_and_acknowledged_when_the_model_goes_on() {
        hear(PARENT, new ParentEvent.Started());
        ended(PARENT);
        ended(PARENT);
        ended(STRANGER);
        var offer = given(hear(PARENT, new ParentEvent.Prompted(true)));
        assertThat(offer.notices()).hasSize(2);
        ended(PARENT);
        assertThat(ledger.notices().pending(Optional.of(PARENT))).hasSize(3);
        assertThat(hear(PARENT, new ParentEvent.ToolsDone()).offer())
                .as("one a turn")
                .isEmpty();
        assertThat(ledger.notices().pending(Optional.of(PARENT)))
                .as("the model went on")
                .hasSize(1);

        var second = hear(PARENT, new ParentEvent.TurnEnded(true)).offer().orElseThrow();
        assertThat(second.notices()).hasSize(1);
        assertThat(second.id()).isGreaterThan(offer.id());
        assertThat(ledger.notices().pending(Optional.of(STRANGER))).hasSize(1);
    }

    @Test
    void an_offer_that_the_harness_never_got_is_made_again() {
        hear(PARENT, new ParentEvent.Started());
        ended(PARENT);
        assertThat(hear(PARENT, new ParentEvent.Prompted(true)).offer()).isPresent(); // the hook was cut short
        hear(PARENT, new ParentEvent.ToolsDone());
        assertThat(ledger.notices().pending(Optional.of(PARENT)))
                .as("nothing proves that it arrived")
                .hasSize(1);
        hear(PARENT, new ParentEvent.Prompted(true));
        reopen();
        assertThat(given(hear(PARENT, new ParentEvent.Prompted(true))).notices())
                .hasSize(1);
    }

    @Test
    void an_offer_in_a_turn_that_broke_off_is_made_again_in_the_next() {
        hear(PARENT, new ParentEvent.Started());
        ended(PARENT);
        given(hear(PARENT, new ParentEvent.Prompted(true)));
        assertThat(given(hear(PARENT, new ParentEvent.Started())).notices()).hasSize(1); // killed, and resumed
        assertThat(hear(PARENT, new ParentEvent.Prompted(true)).offer())
                .as("the session that began has it before it")
                .isEmpty();
        hear(PARENT, new ParentEvent.TurnEnded(true));
        assertThat(ledger.notices().pending(Optional.of(PARENT))).isEmpty();
    }

    @Test
    void what_ends_between_the_start_and_the_first_prompt_is_told_with_the_prompt() {
        ended(PARENT);
        given(hear(PARENT, new ParentEvent.Started()));
        var late = ended(PARENT);
        assertThat(given(hear(PARENT, new ParentEvent.Prompted(true))).notices())
                .extracting(notice -> notice.ofRun().orElseThrow().run().id())
                .containsExactly(late.id());
    }

    @Test
    void a_turn_that_was_kept_from_ending_is_not_told_again_though_nobody_lived_to_note_what_it_was_told() {
        hear(PARENT, new ParentEvent.Started());
        hear(PARENT, new ParentEvent.Prompted(true));
        ended(PARENT);
        assertThat(hear(PARENT, new ParentEvent.TurnEnded(true)).offer())
                .isPresent(); // written, and then the daemon died
        var goesOn = hear(PARENT, new ParentEvent.ToolsDone());
        assertThat(goesOn.offer()).isEmpty();
        assertThat(goesOn.parent().wakes()).isEqualTo(1);
        assertThat(ledger.notices().pending(Optional.of(PARENT)))
                .as("nothing proves that it arrived")
                .hasSize(1);
        assertThat(given(hear(PARENT, new ParentEvent.Prompted(true))).notices())
                .as("its next turn is told")
                .hasSize(1);
    }

    @Test
    void the_first_prompt_is_not_told_again_what_the_start_may_have_been_told() {
        ended(PARENT);
        assertThat(hear(PARENT, new ParentEvent.Started()).offer()).isPresent(); // written, and then the daemon died
        assertThat(hear(PARENT, new ParentEvent.Prompted(true)).offer()).isEmpty();
        assertThat(given(hear(PARENT, new ParentEvent.Prompted(true))).notices())
                .hasSize(1);
    }

    @Test
    void a_wake_that_nobody_took_keeps_nothing_from_the_next_turn() {
        hear(PARENT, new ParentEvent.Started());
        hear(PARENT, new ParentEvent.Prompted(true));
        hear(PARENT, new ParentEvent.TurnEnded(true));
        ended(PARENT);
        var offer = ledger.sessions().wake(PARENT, (_, _) -> true).orElseThrow();
        assertThat(ledger.sessions().withdraw(offer.id())).isTrue();
        assertThat(ledger.sessions().withdraw(offer.id())).isFalse();
        var again = ledger.sessions().wake(PARENT, (_, _) -> true).orElseThrow(); // and then the daemon died
        var told = given(hear(PARENT, new ParentEvent.Prompted(true)));
        assertThat(told.notices()).as("a user began this turn, so no wake did").hasSize(1);
        assertThat(told.id()).isGreaterThan(again.id());
        assertThat(ledger.sessions().withdraw(told.id())).as("it was written").isFalse();
    }

    @Test
    void reading_a_run_takes_it_out_of_what_is_offered() {
        hear(PARENT, new ParentEvent.Started());
        var run = ended(PARENT);
        ledger.notices().read(run.id(), 1);
        assertThat(hear(PARENT, new ParentEvent.Prompted(true)).offer()).isEmpty();
    }

    @Test
    void of_a_silent_run_nobody_is_told_but_its_notice_is_there() {
        hear(PARENT, new ParentEvent.Started());
        var plain = aRun();
        var silent = new NewRun(
                plain.id(),
                plain.name(),
                PARENT,
                plain.agent(),
                plain.driver(),
                plain.profile(),
                plain.description(),
                plain.cwd(),
                plain.budget(),
                plain.resumeOnLoss(),
                plain.depth(),
                plain.parent(),
                Notify.SILENT,
                Optional.empty(),
                Optional.empty());
        var run = running(silent);
        ledger.deliveries().by(Set.of("webhook"));
        ledger.finish(run.id(), 1, end(SUCCESS, "done"));
        assertThat(hear(PARENT, new ParentEvent.Prompted(true)).offer()).isEmpty();
        assertThat(ledger.notices().pending(Optional.of(PARENT))).hasSize(1);
        assertThat(ledger.deliveries().open("webhook", 10)).isEmpty();
    }

    @Test
    void a_notice_goes_out_by_each_channel_until_it_arrived_or_was_given_up() {
        ended(PARENT);
        ledger.deliveries().by(Set.of("on_notice", "webhook"));
        var run = ended(PARENT);
        assertThat(ledger.deliveries().open("webhook", 10))
                .as("what was before the channel was there does not go out")
                .extracting(delivery ->
                        delivery.notice().ofRun().orElseThrow().run().id())
                .containsExactly(run.id());
        var first = ledger.deliveries().open("on_notice", 10).getFirst();
        assertThat(first.dueAt()).isEqualTo(clock.now());
        assertThat(first.failingSince()).isEmpty();

        var soon = clock.now().plusSeconds(5);
        assertThat(ledger.deliveries().failed(first, "exit status 3", Optional.of(soon)))
                .isTrue();
        assertThat(ledger.deliveries().arrived(first)).as("of an older try").isFalse();
        clock.advance(Duration.ofSeconds(5));
        reopen();
        var second = ledger.deliveries().open("on_notice", 10).getFirst();
        assertThat(second.id()).isEqualTo(first.id());
        assertThat(second.tries()).isEqualTo(1);
        assertThat(second.dueAt()).isEqualTo(soon);
        assertThat(second.failingSince()).contains(soon.minusSeconds(5));
        assertThat(ledger.deliveries().arrived(second)).isTrue();
        assertThat(ledger.deliveries().arrived(second)).isFalse();
        assertThat(ledger.deliveries().open("on_notice", 10)).isEmpty();

        var other = ledger.deliveries().open("webhook", 10).getFirst();
        assertThat(ledger.deliveries().failed(other, "status 410", Optional.empty()))
                .isTrue();
        assertThat(ledger.deliveries().open("webhook", 10)).isEmpty();
        assertThat(ledger.events(run.id()))
                .filteredOn(event -> event.kind().equals("delivery"))
                .extracting(Event::text)
                .satisfiesExactly(
                        one -> assertThat(one).contains("by on_notice failed (try 1)", "exit status 3"),
                        two -> assertThat(two).contains("by on_notice arrived (try 2)"),
                        three -> assertThat(three).contains("by webhook given up (try 1): status 410"));
    }

    @Test
    void what_is_pending_to_go_out_goes_with_its_run() {
        ledger.deliveries().by(Set.of("webhook"));
        var run = ended(PARENT);
        var delivery = ledger.deliveries().open("webhook", 10).getFirst();
        ledger.remove(run.id());
        assertThat(ledger.deliveries().open("webhook", 10)).isEmpty();
        assertThat(ledger.deliveries().arrived(delivery)).isFalse();
    }

    @Test
    void who_wants_to_hear_of_changes_hears_of_the_latest_and_then_of_the_end() {
        var plain = aRun();
        var wanted = new NewRun(
                plain.id(),
                plain.name(),
                PARENT,
                plain.agent(),
                plain.driver(),
                plain.profile(),
                plain.description(),
                plain.cwd(),
                plain.budget(),
                plain.resumeOnLoss(),
                plain.depth(),
                plain.parent(),
                Notify.CHANGES,
                Optional.empty(),
                Optional.empty());
        var run = running(wanted).id();
        ledger.began(run, 1, new Began(new ProcessId(1, 1), new ProcessId(2, 2), "boot", 0, 0));
        assertThat(ledger.notices().pending(Optional.of(PARENT)))
                .extracting(Notice::kind)
                .containsExactly("changed");
        ledger.finish(run, 1, end(new RunEvent.Lost(Cause.PERCH_LOST, true)));
        assertThat(ledger.notices().pending(Optional.of(PARENT)))
                .as("not what it was before")
                .extracting(notice -> notice.kind() + " "
                        + notice.ofRun().orElseThrow().attempt().n())
                .containsExactly("changed 2");
        ledger.claimNext(Caps.NONE);
        ledger.finish(run, 2, end(SUCCESS));
        assertThat(ledger.notices().pending(Optional.of(PARENT)))
                .extracting(Notice::kind)
                .containsExactly("ended");
    }

    @Test
    void a_call_that_is_made_again_starts_nothing_anew() {
        var plain = aRun();
        var first = ledger.submit(called(plain, "bridge:1"), Caps.NONE);
        var again = ledger.submit(called(aRun(), "bridge:1"), Caps.NONE);
        assertThat(again.id()).isEqualTo(first.id());
        assertThat(ledger.startedBy("bridge:1")).isPresent();
        assertThat(ledger.list(Query.of(Query.Which.ALL))).hasSize(1);
    }

    @Test
    void what_was_done_elsewhere_is_brought_in_once_as_over_and_read_and_nobody_is_told() {
        var began = clock.now().minus(Duration.ofHours(3));
        var past = new Past(
                began,
                began.plusSeconds(60),
                new Outcome.Abandoned(Cause.PERCH_LOST),
                Evidence.none().withNote("found"),
                new Result(Optional.of("half"), 4),
                5,
                Optional.of("thread-1"));
        var first = ledger.bringIn(called(aRun(), "rescue:1"), past);
        var again = ledger.bringIn(called(aRun(), "rescue:1"), past);
        reopen();
        assertThat(again.id()).isEqualTo(first.id());
        assertThat(ledger.list(Query.of(Query.Which.ALL))).singleElement().satisfies(run -> {
            assertThat(run.status()).isEqualTo(Status.ABANDONED);
            assertThat(run.sessionId()).contains("thread-1");
            assertThat(run.latest().startedAt()).contains(began);
            assertThat(run.latest().endedAt()).contains(began.plusSeconds(60));
            assertThat(run.latest().unread()).isFalse();
        });
        assertThat(ledger.result(first.id(), 1)).contains("half");
        assertThat(ledger.notices().pending(Optional.empty())).isEmpty();
        assertThat(ledger.spentToday(PARENT)).isEqualTo(Usage.NONE);
    }

    @Test
    void a_call_that_is_made_again_says_nothing_twice() {
        var run = running();
        var words = new Letters.Words("hello", "operator", Optional.of("bridge:2"));
        assertThat(ledger.letters().post(run, 1, Letter.Kind.WORDS, Optional.empty(), words))
                .isPresent();
        assertThat(ledger.letters().toldBy("bridge:2").map(Run::id)).contains(run);
        ledger.finish(run, 1, end(SUCCESS));
        assertThat(ledger.continueAfter(run, 1, "operator", Optional.of("bridge:3"), Position.START))
                .isPresent();
        assertThat(ledger.letters().toldBy("bridge:3").map(Run::id)).contains(run);
        assertThat(ledger.letters().toldBy("bridge:4")).isEmpty();
    }

    private static NewRun called(NewRun plain, String key) {
        return new NewRun(
                plain.id(),
                plain.name(),
                plain.owner(),
                plain.agent(),
                plain.driver(),
                plain.profile(),
                plain.description(),
                plain.cwd(),
                plain.budget(),
                plain.resumeOnLoss(),
                plain.depth(),
                plain.parent(),
                Notify.DONE,
                Optional.of(key),
                Optional.empty());
    }

    @Test
    void what_a_cleared_session_leaves_goes_to_the_one_that_follows_it() {
        var unread = ended(PARENT);
        var read = ended(PARENT);
        ledger.notices().read(read.id(), 1);
        var live = running(aRun());
        assertThat(ledger.sessions().rehome(PARENT, STRANGER)).containsExactlyInAnyOrder(unread.id(), live.id());
        assertThat(ledger.find(read.id()).orElseThrow().owner()).isEqualTo(PARENT);
        assertThat(ledger.find(live.id()).orElseThrow().owner()).isEqualTo(STRANGER);
        assertThat(hear(STRANGER, new ParentEvent.Prompted(true))
                        .offer()
                        .orElseThrow()
                        .notices())
                .hasSize(1);
        ledger.finish(live.id(), 1, end(SUCCESS, "done"));
        assertThat(ledger.notices().pending(Optional.of(STRANGER))).hasSize(2);
    }

    private RunId inWorktree() {
        var plain = aRun();
        var place = new Work.Place(
                Path.of("/worktrees/one"), Path.of("/repo/.git"), "abc", Optional.of("main"), Path.of("/repo"));
        submit(new NewRun(
                plain.id(),
                plain.name(),
                plain.owner(),
                plain.agent(),
                plain.driver(),
                plain.profile(),
                plain.description(),
                plain.cwd(),
                plain.budget(),
                plain.resumeOnLoss(),
                plain.depth(),
                plain.parent(),
                plain.tell(),
                plain.callKey(),
                Optional.of(place)));
        return ledger.claimNext(Caps.NONE).orElseThrow().id();
    }

    @Test
    void where_a_runs_code_is_comes_with_the_run_and_is_looked_for_until_it_is_found() {
        var run = inWorktree();
        assertThat(find(run).work().orElseThrow().madeAt()).isEmpty();
        ledger.works().made(run);
        ledger.works().checkpointed(run, 2, "refs/roost/x/2", 3);
        assertThat(ledger.works().unlooked()).as("it is still at work").isEmpty();
        ledger.finish(run, 1, end(SUCCESS));
        assertThat(ledger.works().unlooked()).extracting(Run::id).containsExactly(run);

        ledger.works().landed(run, 1, "committed", "committed, 1 ahead", "{}");
        ledger.works().removed(run);
        reopen();

        assertThat(ledger.works().unlooked()).isEmpty();
        var work = find(run).work().orElseThrow();
        assertThat(work.rescue()).contains(new Work.Rescue(2, "refs/roost/x/2", clock.now(), 3));
        assertThat(work.landing().orElseThrow().stage()).isEqualTo("committed");
        assertThat(work.removedAt()).isPresent();
        assertThat(work.place().target()).contains("main");
    }

    @Test
    void who_begins_an_attempt_says_where_its_place_is_and_nobody_else_does() {
        var run = inWorktree();
        ledger.works().made(run);
        ledger.works().checkpointed(run, 2, "refs/roost/x/2", 3);
        var there = new Work.Place(
                Path.of("/there/work"), Path.of("/there/.git"), "base", Optional.of("main"), Path.of("/there"));
        assertThat(ledger.works().moved(run, 2, Path.of("/late"), Optional.of(there)))
                .as("there is no such attempt")
                .isFalse();
        assertThat(find(run).cwd()).isNotEqualTo(Path.of("/late"));
        assertThat(ledger.works().moved(run, 1, Path.of("/there/work/sub"), Optional.of(there)))
                .isTrue();
        reopen();
        assertThat(find(run).cwd()).isEqualTo(Path.of("/there/work/sub"));
        var work = find(run).work().orElseThrow();
        assertThat(work.place()).isEqualTo(there);
        assertThat(work.isThere()).as("it is not made here yet").isFalse();
        assertThat(work.rescue().orElseThrow().n()).isEqualTo(2);
        ledger.works().made(run);
        assertThat(find(run).work().orElseThrow().isThere()).isTrue();

        ledger.finish(run, 1, end(SUCCESS));
        assertThat(ledger.works().moved(run, 1, Path.of("/late"), Optional.empty()))
                .as("it is over")
                .isFalse();
        assertThat(find(run).cwd()).isEqualTo(Path.of("/there/work/sub"));
    }

    @Test
    void a_run_that_had_no_place_of_its_own_gets_one_where_it_begins() {
        var run = submit(aRun()).id();
        ledger.claimNext(Caps.NONE);
        var there = new Work.Place(
                Path.of("/there/work"), Path.of("/there/.git"), "base", Optional.empty(), Path.of("/there"));
        assertThat(ledger.works().moved(run, 1, Path.of("/there/work"), Optional.of(there)))
                .isTrue();
        assertThat(find(run).work().orElseThrow().place()).isEqualTo(there);
        assertThat(find(run).work().orElseThrow().madeAt()).isEmpty();
    }

    @Test
    void a_pause_is_recorded_once_and_told_once_to_each_owner_with_a_run_in_it() {
        var before = running();
        clock.advance(Duration.ofMinutes(1));
        ledger.finish(before, 1, end(SUCCESS));
        clock.advance(Duration.ofMinutes(1));
        var caught = running();
        ledger.submit(aRun(Optional.empty(), STRANGER), Caps.NONE);
        clock.advance(Duration.ofMinutes(1));
        var from = clock.now();
        clock.advance(Duration.ofHours(16));
        ledger.finish(caught, 1, end(SUCCESS));

        var pause = ledger.pauses().over(Pause.Kind.SLEEP, from, clock.now(), true);
        assertThat(pause).isPresent();
        assertThat(ledger.pauses().over(Pause.Kind.SLEEP, from, clock.now(), true))
                .as("it is known")
                .isEmpty();
        submit(aRun()); // too late to be caught in it
        reopen();

        assertThat(ledger.pauses().find(pause.get()).orElseThrow().runs()).hasSize(2);
        assertThat(ledger.notices().pending(Optional.of(PARENT)).stream()
                        .filter(Notice.OfPause.class::isInstance)
                        .map(Notice.OfPause.class::cast))
                .singleElement()
                .satisfies(report -> assertThat(report.pause().runs())
                        .singleElement()
                        .satisfies(run -> {
                            assertThat(run.run().id()).isEqualTo(caught);
                            assertThat(run.fate()).isEqualTo(Pause.Fate.ENDED);
                        }));
        assertThat(ledger.notices().pending(Optional.of(STRANGER))).hasSize(1);
    }

    @Test
    void an_announced_pause_becomes_the_one_that_comes() {
        long announced = ledger.pauses().announce();
        assertThat(ledger.pauses().announce()).isEqualTo(announced);
        ledger.pauses().remark(announced, new Pause.Remark("on_pause: exit status 1", true));
        reopen();
        assertThat(ledger.pauses().announced().orElseThrow().remarks()).hasSize(1);
        clock.advance(Duration.ofHours(1));
        var from = clock.now();
        clock.advance(Duration.ofHours(1));
        assertThat(ledger.pauses().over(Pause.Kind.REBOOT, from, clock.now(), true))
                .contains(announced);
        assertThat(ledger.pauses().announced()).isEmpty();
        assertThat(ledger.pauses().over(Pause.Kind.REBOOT, from, clock.now(), true))
                .as("whoever finds it again")
                .isEmpty();
        assertThat(ledger.pauses().since(from, Optional.empty()))
                .singleElement()
                .satisfies(pause -> {
                    assertThat(pause.kind()).isEqualTo(Pause.Kind.REBOOT);
                    assertThat(pause.length()).isEqualTo(Duration.ofHours(2));
                });
    }

    /** Remembers what it was told. */
    private static final class Heedful implements Meters {
        private final List<Begun> begun = new ArrayList<>();
        private final List<Ended> ended = new ArrayList<>();
        private final List<Long> acknowledged = new ArrayList<>();
        private int writes;

        @Override
        public void committed(int count, Duration took) {
            writes += count;
        }

        @Override
        public void began(Begun one) {
            begun.add(one);
        }

        @Override
        public void ended(Ended one) {
            ended.add(one);
        }

        @Override
        public void acknowledged(RunId run, long notice, Duration waited) {
            acknowledged.add(notice);
        }
    }

    private static Began processes() {
        return new Began(new ProcessId(1, 1), new ProcessId(2, 2), "boot", 0, 0);
    }

    @Test
    void meters_are_told_of_each_end_and_beginning_once_and_of_nothing_that_was_refused() {
        var meters = new Heedful();
        ledger.measuredBy(meters);
        var run = running();
        ledger.began(run, 1, processes());
        ledger.finish(run, 1, end(new RunEvent.Lost(Cause.PERCH_LOST, true)));
        ledger.claimNext(Caps.NONE);
        ledger.began(run, 2, processes());
        ledger.finish(run, 2, end(SUCCESS));
        ledger.finish(run, 2, end(SUCCESS));
        ledger.notices().read(run, 2);
        ledger.notices().read(run, 2);

        assertThat(meters.begun).extracting(Meters.Begun::asked).containsExactly(true, false);
        assertThat(meters.ended)
                .extracting(one -> one.outcome().cause())
                .containsExactly(Cause.PERCH_LOST, Cause.FINISHED);
        assertThat(meters.ended).allSatisfy(one -> assertThat(one.lag()).isEmpty()); // nobody saw an exit
        assertThat(meters.acknowledged).hasSize(1);
        int before = meters.writes;
        submit(aRun(Optional.of("taken"), PARENT));
        assertThatThrownBy(() -> submit(aRun(Optional.of("taken"), PARENT))).isInstanceOf(Refused.class);
        assertThat(meters.writes).isEqualTo(before + 2);
    }

    @Test
    void the_lag_of_an_end_is_known_only_where_somebody_saw_the_exit() {
        var meters = new Heedful();
        ledger.measuredBy(meters);
        var run = running();
        var seen = new Evidence(
                Optional.of(new Exit(0, false)),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(Duration.ofSeconds(1)),
                Optional.empty(),
                "",
                List.of(),
                Optional.empty());
        ledger.finish(
                run, 1, new End(SUCCESS, clock.now().minusMillis(7), seen, Result.none(), Progress.of(Position.START)));
        assertThat(meters.ended.getFirst().lag()).contains(Duration.ofMillis(7));
    }

    @Test
    void a_tally_counts_what_lives_and_waits_and_not_what_is_over() {
        var silent = ledger.tally(10);
        assertThat(silent.live()).isEmpty();
        assertThat(silent.notices()).isEmpty();
        ended(PARENT);
        running();
        submit(aRun(Optional.empty(), STRANGER));
        var tally = ledger.tally(1);
        assertThat(tally.live())
                .extracting(Tally.Live::phase, Tally.Live::runs)
                .containsExactlyInAnyOrder(tuple(Phase.STARTING, 1), tuple(Phase.WAITING_FOR_SLOT, 1));
        assertThat(tally.busiest()).hasSize(1);
        assertThat(tally.unread()).isEqualTo(1);
        assertThat(tally.notices()).singleElement().satisfies(one -> {
            assertThat(one.kind()).isEqualTo("ended");
            assertThat(one.session()).isEqualTo("none");
        });
        hear(PARENT, new ParentEvent.Prompted(true));
        assertThat(ledger.tally(1).notices()).extracting(Tally.Pending::session).containsExactly("busy");
        ledger.tryWriting();
        assertThat(ledger.tally(1).live()).isEqualTo(tally.live());
    }

    /** Says where each step was, and what anybody else could read then. */
    private final class Witness implements Faults {

        private final List<String> seen = new ArrayList<>();

        @Override
        public void before(List<Step> steps) {
            for (var step : steps) seen.add("before %s: %s".formatted(step.word(), durable()));
        }

        @Override
        public void after(List<Step> steps) {
            for (var step : steps) seen.add("after %s: %s".formatted(step.word(), durable()));
        }

        private String durable() {
            var runs = ledger.list(Query.of(Query.Which.ALL)).stream()
                    .map(run -> run.status().word());
            return "%s, %d pending"
                    .formatted(
                            runs.findFirst().orElse("nothing"),
                            ledger.notices().pending(Optional.empty()).size());
        }
    }

    @Test
    void a_fault_comes_just_before_its_step_is_durable_or_just_after_and_before_anybody_is_told() {
        var witness = new Witness();
        ledger.disturbedBy(witness);
        ledger.onCommit(runs -> runs.forEach(_ -> witness.seen.add("told")));
        hear(PARENT, new ParentEvent.Started());
        var run = running();
        ledger.began(run, 1, processes());
        ledger.finish(run, 1, end(SUCCESS));
        given(hear(PARENT, new ParentEvent.Prompted(true)));
        hear(PARENT, new ParentEvent.ToolsDone());
        ledger.remove(run);
        assertThat(witness.seen)
                .containsExactly(
                        "before submit: nothing, 0 pending",
                        "after submit: queued, 0 pending",
                        "told",
                        "before claim: queued, 0 pending",
                        "after claim: running, 0 pending",
                        "told",
                        "before start: running, 0 pending",
                        "after start: running, 0 pending",
                        "told",
                        "before finish: running, 0 pending",
                        "after finish: completed, 1 pending",
                        "told",
                        "before offer: completed, 1 pending",
                        "after offer: completed, 1 pending",
                        "before acknowledge: completed, 1 pending",
                        "after acknowledge: completed, 0 pending",
                        "before prune: completed, 0 pending",
                        "after prune: nothing, 0 pending",
                        "told");
    }

    @Test
    void what_was_refused_or_came_too_late_is_no_step() {
        submit(aRun(Optional.of("nightly"), PARENT));
        var run = running();
        ledger.finish(run, 1, end(SUCCESS));
        submit(aRun(Optional.of("nightly"), PARENT));
        var witness = new Witness();
        ledger.disturbedBy(witness);
        assertThatThrownBy(() -> submit(aRun(Optional.of("nightly"), PARENT))).isInstanceOf(Refused.class);
        ledger.finish(run, 1, end(SUCCESS));
        ledger.began(run, 1, processes());
        ledger.notices().acknowledge(List.of(4711L), Optional.empty());
        assertThat(witness.seen).isEmpty();
    }
}
