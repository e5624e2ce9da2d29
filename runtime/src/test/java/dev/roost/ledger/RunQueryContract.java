package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.roost.ledger.record.LedgerStats;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.testing.LedgerFixture;
import dev.roost.model.Phase;
import dev.roost.model.RunId;
import dev.roost.model.SessionEvent;
import dev.roost.model.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Scope, order, filters and counts of run queries. */
interface RunQueryContract extends LedgerFixture {

    @Test
    default void lists_show_newest_first_and_page_without_gaps() {
        var all = new ArrayList<RunId>();
        for (int i = 0; i < 7; i++) all.addFirst(submit(aRun()).id());
        submit(aRun(Optional.empty(), OTHER_OWNER));

        var seen = new ArrayList<RunId>();
        Optional<RunId> before = Optional.empty();
        do {
            var page = ledger().runs().list(new RunQuery(RunQuery.StatusFilter.ALL, Optional.of(OWNER), 3, before));
            page.forEach(run -> seen.add(run.id()));
            before = page.isEmpty()
                    ? Optional.empty()
                    : Optional.of(page.getLast().id());
        } while (before.isPresent());
        assertThat(seen).isEqualTo(all);
    }

    private List<RunId> filtered(Optional<String> agent, Optional<Status> status, Optional<String> text) {
        var query = new RunQuery(
                RunQuery.StatusFilter.ALL,
                Optional.empty(),
                100,
                Optional.empty(),
                new RunQuery.QueryFilter(agent, status, text));
        return ledger().runs().list(query).stream().map(RunRecord::id).toList();
    }

    @Test
    default void lists_are_filtered_by_agent_status_and_literal_text() {
        var plain = running();
        var named = submit(aRun(Optional.of("100% done_or_not"), OWNER)).id();
        ledger().finish(plain, 1, end(SUCCESS));
        Optional<String> any = Optional.empty();
        Optional<Status> anyStatus = Optional.empty();

        assertThat(filtered(any, anyStatus, any)).containsExactly(named, plain);
        assertThat(filtered(Optional.of("command"), anyStatus, any)).hasSize(2);
        assertThat(filtered(Optional.of("claude"), anyStatus, any)).isEmpty();
        assertThat(filtered(any, Optional.of(Status.COMPLETED), any)).containsExactly(plain);
        assertThat(filtered(any, Optional.of(Status.QUEUED), any)).containsExactly(named);
        assertThat(filtered(any, anyStatus, Optional.of("MAKE t"))).hasSize(2);
        assertThat(filtered(any, anyStatus, Optional.of(named.text()))).containsExactly(named);
        assertThat(filtered(any, anyStatus, Optional.of("0% done"))).containsExactly(named);
        for (var wildcard : List.of("make%", "m_ke", "*", "?", "make test\u0000", "'", "%\\"))
            assertThat(filtered(any, anyStatus, Optional.of(wildcard)))
                    .as(wildcard)
                    .isEmpty();
        assertThat(filtered(any, anyStatus, Optional.of("%"))).containsExactly(named);
        assertThat(filtered(any, anyStatus, Optional.of("_"))).as("in every id").hasSize(2);
        assertThat(filtered(Optional.of("command"), Optional.of(Status.QUEUED), Optional.of("make")))
                .containsExactly(named);
    }

    @Test
    default void active_means_live_or_unread() {
        var live = running();
        var unread = running();
        ledger().finish(unread, 1, end(SUCCESS));
        var read = running();
        ledger().finish(read, 1, end(SUCCESS));
        ledger().notices().markRead(read, 1);

        assertThat(ids(RunQuery.StatusFilter.ACTIVE)).containsExactly(unread, live);
        assertThat(ids(RunQuery.StatusFilter.LIVE)).containsExactly(live);
        assertThat(ids(RunQuery.StatusFilter.UNREAD)).containsExactly(unread);
        assertThat(ids(RunQuery.StatusFilter.ALL)).containsExactly(read, unread, live);
    }

    private List<RunId> ids(RunQuery.StatusFilter scope) {
        return ledger().runs().list(RunQuery.of(scope)).stream()
                .map(RunRecord::id)
                .toList();
    }

    @Test
    default void names_and_prefixes_resolve_only_within_the_scope() {
        var mine = submit(aRun(Optional.of("nightly"), OWNER)).id();
        var theirs = submit(aRun(Optional.of("nightly"), OTHER_OWNER)).id();

        assertThat(ledger().runs().named("nightly", Optional.of(OWNER)))
                .extracting(RunRecord::id)
                .containsExactly(mine);
        assertThat(ledger().runs().named("nightly", Optional.empty()))
                .extracting(RunRecord::id)
                .containsExactly(theirs, mine);
        assertThat(ledger().runs().named(mine.text().substring(0, 12), Optional.empty()))
                .extracting(RunRecord::id)
                .contains(mine);
        assertThat(ledger().runs().named(theirs.text(), Optional.of(OWNER))).isEmpty();
        assertThat(ledger().runs().named("%", Optional.empty()))
                .as("a wildcard matches nothing")
                .isEmpty();
    }

    @Test
    default void a_tally_counts_live_and_waiting_runs_and_no_ended_ones() {
        var empty = ledger().spend().tally(10);
        assertThat(empty.live()).isEmpty();
        assertThat(empty.notices()).isEmpty();
        ended(OWNER);
        running();
        submit(aRun(Optional.empty(), OTHER_OWNER));
        var stats = ledger().spend().tally(1);
        assertThat(stats.live())
                .extracting(LedgerStats.LiveRuns::phase, LedgerStats.LiveRuns::runs)
                .containsExactlyInAnyOrder(tuple(Phase.STARTING, 1), tuple(Phase.WAITING_FOR_SLOT, 1));
        assertThat(stats.busiest()).hasSize(1);
        assertThat(stats.unread()).isEqualTo(1);
        assertThat(stats.notices()).singleElement().satisfies(one -> {
            assertThat(one.kind()).isEqualTo("ended");
            assertThat(one.session()).isEqualTo("none");
        });
        reportEvent(OWNER, new SessionEvent.PromptSubmitted(true));
        assertThat(ledger().spend().tally(1).notices())
                .extracting(LedgerStats.PendingNotices::session)
                .containsExactly("busy");
        ledger().checkWritable();
        assertThat(ledger().spend().tally(1).live()).isEqualTo(stats.live());
    }
}
