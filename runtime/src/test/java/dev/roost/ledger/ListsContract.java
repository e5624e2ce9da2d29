package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.roost.run.ParentEvent;
import dev.roost.run.Phase;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which runs are shown to whom, in which order, and how many there are. */
interface ListsContract extends LedgerStage {

    @Test
    default void lists_show_newest_first_and_page_without_gaps() {
        var all = new ArrayList<RunId>();
        for (int i = 0; i < 7; i++) all.addFirst(submit(aRun()).id());
        submit(aRun(Optional.empty(), STRANGER));

        var seen = new ArrayList<RunId>();
        Optional<RunId> before = Optional.empty();
        do {
            var page = ledger().runs().list(new Query(Query.Which.ALL, Optional.of(PARENT), 3, before));
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
        return ledger().runs().list(query).stream().map(Run::id).toList();
    }

    @Test
    default void lists_are_narrowed_by_agent_state_and_a_text_that_is_meant_as_it_stands() {
        var plain = running();
        var named = submit(aRun(Optional.of("100% done_or_not"), PARENT)).id();
        ledger().finish(plain, 1, end(SUCCESS));
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
    default void active_means_live_or_unread() {
        var live = running();
        var unread = running();
        ledger().finish(unread, 1, end(SUCCESS));
        var read = running();
        ledger().finish(read, 1, end(SUCCESS));
        ledger().notices().read(read, 1);

        assertThat(ids(Query.Which.ACTIVE)).containsExactly(unread, live);
        assertThat(ids(Query.Which.LIVE)).containsExactly(live);
        assertThat(ids(Query.Which.UNREAD)).containsExactly(unread);
        assertThat(ids(Query.Which.ALL)).containsExactly(read, unread, live);
    }

    private List<RunId> ids(Query.Which which) {
        return ledger().runs().list(Query.of(which)).stream().map(Run::id).toList();
    }

    @Test
    default void names_and_beginnings_resolve_inside_the_scope_only() {
        var mine = submit(aRun(Optional.of("nightly"), PARENT)).id();
        var theirs = submit(aRun(Optional.of("nightly"), STRANGER)).id();

        assertThat(ledger().runs().named("nightly", Optional.of(PARENT)))
                .extracting(Run::id)
                .containsExactly(mine);
        assertThat(ledger().runs().named("nightly", Optional.empty()))
                .extracting(Run::id)
                .containsExactly(theirs, mine);
        assertThat(ledger().runs().named(mine.text().substring(0, 12), Optional.empty()))
                .extracting(Run::id)
                .contains(mine);
        assertThat(ledger().runs().named(theirs.text(), Optional.of(PARENT))).isEmpty();
        assertThat(ledger().runs().named("%", Optional.empty()))
                .as("no wildcard slips in")
                .isEmpty();
    }

    @Test
    default void a_tally_counts_what_lives_and_waits_and_not_what_is_over() {
        var silent = ledger().tallies().tally(10);
        assertThat(silent.live()).isEmpty();
        assertThat(silent.notices()).isEmpty();
        ended(PARENT);
        running();
        submit(aRun(Optional.empty(), STRANGER));
        var tally = ledger().tallies().tally(1);
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
        assertThat(ledger().tallies().tally(1).notices())
                .extracting(Tally.Pending::session)
                .containsExactly("busy");
        ledger().tryWriting();
        assertThat(ledger().tallies().tally(1).live()).isEqualTo(tally.live());
    }
}
