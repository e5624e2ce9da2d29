package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.ledger.record.NoticeRecord;
import dev.roost.ledger.record.TimelineEvent;
import dev.roost.ledger.testing.LedgerFixture;
import dev.roost.model.Caps;
import dev.roost.model.Cause;
import dev.roost.model.Notify;
import dev.roost.model.RunEvent;
import dev.roost.model.SessionEvent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Notices, their acknowledgement, and their deliveries. */
interface NoticeStoreContract extends LedgerFixture {

    @Test
    default void reading_clears_unread_once_and_acknowledges_the_notice() {
        var run = running();
        assertThat(ledger().notices().markRead(run, 1))
                .as("a live run cannot be read to the end")
                .isFalse();
        ledger().finish(run, 1, end(SUCCESS));

        assertThat(ledger().notices().markRead(run, 1)).isTrue();
        assertThat(ledger().notices().markRead(run, 1)).isFalse();

        assertThat(find(run).latest().unread()).isFalse();
        assertThat(ledger().notices().pending(Optional.empty())).isEmpty();
        assertThat(ledger().runs().result(run, 1)).as("reading deletes nothing").contains("the result");
    }

    @Test
    default void a_notice_is_acknowledged_once_and_only_by_its_owner() {
        var run = running();
        ledger().finish(run, 1, end(SUCCESS));
        long notice = ledger().notices().pending(Optional.empty()).getFirst().id();

        assertThat(ledger().notices().acknowledge(List.of(notice), Optional.of(OTHER_OWNER)))
                .isEmpty();
        assertThat(ledger().notices().acknowledge(List.of(notice, 4711L), Optional.of(OWNER)))
                .containsExactly(notice);
        assertThat(ledger().notices().acknowledge(List.of(notice), Optional.of(OWNER)))
                .isEmpty();
        assertThat(find(run).latest().unread()).as("acknowledged is not read").isTrue();
    }

    @Test
    default void the_notice_of_a_silent_run_is_stored_but_not_offered_or_delivered() {
        reportEvent(OWNER, new SessionEvent.SessionStarted());
        var silent = withTerms(aRun(), Notify.SILENT, Optional.empty(), Optional.empty());
        var run = running(silent);
        ledger().deliveries().setChannels(Set.of("webhook"));
        ledger().finish(run.id(), 1, end(SUCCESS, "done"));
        assertThat(reportEvent(OWNER, new SessionEvent.PromptSubmitted(true)).offer())
                .isEmpty();
        assertThat(ledger().notices().pending(Optional.of(OWNER))).hasSize(1);
        assertThat(ledger().deliveries().pending("webhook", 10)).isEmpty();
    }

    @Test
    default void a_notice_is_delivered_by_each_channel_until_it_arrives_or_is_given_up() {
        ended(OWNER);
        ledger().deliveries().setChannels(Set.of("on_notice", "webhook"));
        var run = ended(OWNER);
        assertThat(ledger().deliveries().pending("webhook", 10))
                .as("a notice older than the channel is not delivered")
                .extracting(delivery ->
                        delivery.notice().ofRun().orElseThrow().run().id())
                .containsExactly(run.id());
        var first = ledger().deliveries().pending("on_notice", 10).getFirst();
        assertThat(first.dueAt()).isEqualTo(clock().now());
        assertThat(first.failingSince()).isEmpty();

        var soon = clock().now().plusSeconds(5);
        assertThat(ledger().deliveries().markFailed(first, "exit status 3", Optional.of(soon)))
                .isTrue();
        assertThat(ledger().deliveries().markArrived(first))
                .as("the result of an older try")
                .isFalse();
        clock().advance(Duration.ofSeconds(5));
        reopen();
        var second = ledger().deliveries().pending("on_notice", 10).getFirst();
        assertThat(second.id()).isEqualTo(first.id());
        assertThat(second.tries()).isEqualTo(1);
        assertThat(second.dueAt()).isEqualTo(soon);
        assertThat(second.failingSince()).contains(soon.minusSeconds(5));
        assertThat(ledger().deliveries().markArrived(second)).isTrue();
        assertThat(ledger().deliveries().markArrived(second)).isFalse();
        assertThat(ledger().deliveries().pending("on_notice", 10)).isEmpty();

        var other = ledger().deliveries().pending("webhook", 10).getFirst();
        assertThat(ledger().deliveries().markFailed(other, "status 410", Optional.empty()))
                .isTrue();
        assertThat(ledger().deliveries().pending("webhook", 10)).isEmpty();
        assertThat(ledger().runs().events(run.id()))
                .filteredOn(event -> event.kind().equals("delivery"))
                .extracting(TimelineEvent::text)
                .satisfiesExactly(
                        one -> assertThat(one).contains("by on_notice failed (try 1)", "exit status 3"),
                        two -> assertThat(two).contains("by on_notice arrived (try 2)"),
                        three -> assertThat(three).contains("by webhook given up (try 1): status 410"));
    }

    @Test
    default void removing_a_run_removes_its_pending_deliveries() {
        ledger().deliveries().setChannels(Set.of("webhook"));
        var run = ended(OWNER);
        var delivery = ledger().deliveries().pending("webhook", 10).getFirst();
        ledger().remove(run.id());
        assertThat(ledger().deliveries().pending("webhook", 10)).isEmpty();
        assertThat(ledger().deliveries().markArrived(delivery)).isFalse();
    }

    @Test
    default void an_owner_that_wants_changes_gets_the_latest_change_and_then_the_end() {
        var wanted = withTerms(aRun(), Notify.CHANGES, Optional.empty(), Optional.empty());
        var run = running(wanted).id();
        ledger().recordStarted(run, 1, processes());
        assertThat(ledger().notices().pending(Optional.of(OWNER)))
                .extracting(NoticeRecord::kind)
                .containsExactly("changed");
        ledger().finish(run, 1, end(new RunEvent.Lost(Cause.PERCH_LOST, true)));
        assertThat(ledger().notices().pending(Optional.of(OWNER)))
                .as("only the latest change")
                .extracting(notice -> notice.kind() + " "
                        + notice.ofRun().orElseThrow().attempt().n())
                .containsExactly("changed 2");
        ledger().claimNext(Caps.NONE);
        ledger().finish(run, 2, end(SUCCESS));
        assertThat(ledger().notices().pending(Optional.of(OWNER)))
                .extracting(NoticeRecord::kind)
                .containsExactly("ended");
    }
}
