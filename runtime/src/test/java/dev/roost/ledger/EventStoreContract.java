package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.ledger.record.FeedEvent;
import dev.roost.ledger.record.TimelineEvent;
import dev.roost.ledger.testing.LedgerFixture;
import dev.roost.model.EventKind;
import dev.roost.model.Phase;
import dev.roost.model.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Events are numbered in commit order and announced after the commit. */
interface EventStoreContract extends LedgerFixture {

    @Test
    default void events_are_read_in_commit_order_without_gaps_or_duplicates() throws Exception {
        assertThat(ledger().allEvents().newest()).isZero();
        try (var threads = Executors.newFixedThreadPool(4)) {
            var writers = new ArrayList<Future<?>>();
            for (int i = 0; i < 4; i++) {
                var owner = i % 2 == 0 ? OWNER : OTHER_OWNER;
                writers.add(threads.submit(() -> {
                    for (int j = 0; j < 100; j++) {
                        var run = submit(aRun(Optional.empty(), owner)).id();
                        ledger().note(run, 1, EventKind.TROUBLE, "once");
                    }
                }));
            }
            var seen = new ArrayList<Long>();
            var own = new ArrayList<FeedEvent>();
            long all = 0;
            long mine = 0;
            boolean over = false;
            while (true) {
                var page = ledger().allEvents().after(all, Optional.empty(), 7);
                page.events().forEach(event -> seen.add(event.seq()));
                var ours = ledger().allEvents().after(mine, Optional.of(OWNER), 50);
                own.addAll(ours.events());
                if (over && page.events().isEmpty() && ours.events().isEmpty()) break;
                over = writers.stream().allMatch(Future::isDone);
                all = page.upTo();
                mine = ours.upTo();
            }
            for (var writer : writers) writer.get();
            assertThat(seen).hasSize(800).isSorted().doesNotHaveDuplicates();
            assertThat(seen.getLast()).isEqualTo(ledger().allEvents().newest());
            assertThat(own).hasSize(400).allMatch(event -> event.owner().equals(OWNER));
            assertThat(own).extracting(FeedEvent::seq).isSorted().doesNotHaveDuplicates();
        }
    }

    @Test
    default void the_event_number_of_a_removed_run_is_not_reused() {
        var run = running();
        ledger().finish(run, 1, end(SUCCESS));
        long before = ledger().allEvents().newest();
        assertThat(ledger().remove(run)).isTrue();
        assertThat(ledger().allEvents().newest()).isEqualTo(before);
        assertThat(ledger().allEvents().after(0, Optional.empty(), 100))
                .isEqualTo(new EventStore.EventPage(List.of(), before));
        reopen();
        submit(aRun());
        assertThat(ledger().allEvents().after(before, Optional.empty(), 100).events())
                .extracting(FeedEvent::seq)
                .containsExactly(before + 1);
    }

    @Test
    default void each_change_of_phase_is_one_event() {
        var run = running();
        ledger().recordPhase(run, 1, Phase.WORKING, Optional.empty());
        ledger().recordPhase(run, 1, Phase.QUIET, Optional.empty());
        ledger().recordPhase(run, 1, Phase.QUIET, Optional.empty());
        ledger().recordPhase(run, 2, Phase.WORKING, Optional.empty());
        assertThat(ledger().runs().events(run))
                .filteredOn(event -> event.kind().equals("phase"))
                .extracting(TimelineEvent::text)
                .containsExactly("working", "quiet");
    }

    @Test
    default void listeners_are_called_after_the_commit() {
        var statuses = new ConcurrentLinkedQueue<Status>();
        var run = running();
        ledger().listeners().onCommit(runs -> {
            if (runs.contains(run)) statuses.add(find(run).status());
        });
        ledger().finish(run, 1, end(SUCCESS));
        assertThat(statuses).containsExactly(Status.COMPLETED);
    }
}
