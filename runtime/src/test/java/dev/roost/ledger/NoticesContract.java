package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.run.Caps;
import dev.roost.run.Cause;
import dev.roost.run.Notify;
import dev.roost.run.ParentEvent;
import dev.roost.run.RunEvent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What notices there are, who clears them, and which of them leave the house. */
interface NoticesContract extends LedgerStage {

    @Test
    default void reading_clears_unread_once_and_acknowledges_the_notice() {
        var run = running();
        assertThat(ledger().notices().read(run, 1))
                .as("a live run cannot be read to the end")
                .isFalse();
        ledger().finish(run, 1, end(SUCCESS));

        assertThat(ledger().notices().read(run, 1)).isTrue();
        assertThat(ledger().notices().read(run, 1)).isFalse();

        assertThat(find(run).latest().unread()).isFalse();
        assertThat(ledger().notices().pending(Optional.empty())).isEmpty();
        assertThat(ledger().runs().result(run, 1))
                .as("reading destroys nothing")
                .contains("the result");
    }

    @Test
    default void a_notice_is_acknowledged_once_and_only_by_its_owner() {
        var run = running();
        ledger().finish(run, 1, end(SUCCESS));
        long notice = ledger().notices().pending(Optional.empty()).getFirst().id();

        assertThat(ledger().notices().acknowledge(List.of(notice), Optional.of(STRANGER)))
                .isEmpty();
        assertThat(ledger().notices().acknowledge(List.of(notice, 4711L), Optional.of(PARENT)))
                .containsExactly(notice);
        assertThat(ledger().notices().acknowledge(List.of(notice), Optional.of(PARENT)))
                .isEmpty();
        assertThat(find(run).latest().unread()).as("told is not read").isTrue();
    }

    @Test
    default void of_a_silent_run_nobody_is_told_but_its_notice_is_there() {
        hear(PARENT, new ParentEvent.Started());
        var silent = but(aRun(), Notify.SILENT, Optional.empty(), Optional.empty());
        var run = running(silent);
        ledger().deliveries().by(Set.of("webhook"));
        ledger().finish(run.id(), 1, end(SUCCESS, "done"));
        assertThat(hear(PARENT, new ParentEvent.Prompted(true)).offer()).isEmpty();
        assertThat(ledger().notices().pending(Optional.of(PARENT))).hasSize(1);
        assertThat(ledger().deliveries().open("webhook", 10)).isEmpty();
    }

    @Test
    default void a_notice_goes_out_by_each_channel_until_it_arrived_or_was_given_up() {
        ended(PARENT);
        ledger().deliveries().by(Set.of("on_notice", "webhook"));
        var run = ended(PARENT);
        assertThat(ledger().deliveries().open("webhook", 10))
                .as("what was before the channel was there does not go out")
                .extracting(delivery ->
                        delivery.notice().ofRun().orElseThrow().run().id())
                .containsExactly(run.id());
        var first = ledger().deliveries().open("on_notice", 10).getFirst();
        assertThat(first.dueAt()).isEqualTo(clock().now());
        assertThat(first.failingSince()).isEmpty();

        var soon = clock().now().plusSeconds(5);
        assertThat(ledger().deliveries().failed(first, "exit status 3", Optional.of(soon)))
                .isTrue();
        assertThat(ledger().deliveries().arrived(first)).as("of an older try").isFalse();
        clock().advance(Duration.ofSeconds(5));
        reopen();
        var second = ledger().deliveries().open("on_notice", 10).getFirst();
        assertThat(second.id()).isEqualTo(first.id());
        assertThat(second.tries()).isEqualTo(1);
        assertThat(second.dueAt()).isEqualTo(soon);
        assertThat(second.failingSince()).contains(soon.minusSeconds(5));
        assertThat(ledger().deliveries().arrived(second)).isTrue();
        assertThat(ledger().deliveries().arrived(second)).isFalse();
        assertThat(ledger().deliveries().open("on_notice", 10)).isEmpty();

        var other = ledger().deliveries().open("webhook", 10).getFirst();
        assertThat(ledger().deliveries().failed(other, "status 410", Optional.empty()))
                .isTrue();
        assertThat(ledger().deliveries().open("webhook", 10)).isEmpty();
        assertThat(ledger().runs().events(run.id()))
                .filteredOn(event -> event.kind().equals("delivery"))
                .extracting(Event::text)
                .satisfiesExactly(
                        one -> assertThat(one).contains("by on_notice failed (try 1)", "exit status 3"),
                        two -> assertThat(two).contains("by on_notice arrived (try 2)"),
                        three -> assertThat(three).contains("by webhook given up (try 1): status 410"));
    }

    @Test
    default void what_is_pending_to_go_out_goes_with_its_run() {
        ledger().deliveries().by(Set.of("webhook"));
        var run = ended(PARENT);
        var delivery = ledger().deliveries().open("webhook", 10).getFirst();
        ledger().remove(run.id());
        assertThat(ledger().deliveries().open("webhook", 10)).isEmpty();
        assertThat(ledger().deliveries().arrived(delivery)).isFalse();
    }

    @Test
    default void who_wants_to_hear_of_changes_hears_of_the_latest_and_then_of_the_end() {
        var wanted = but(aRun(), Notify.CHANGES, Optional.empty(), Optional.empty());
        var run = running(wanted).id();
        ledger().began(run, 1, processes());
        assertThat(ledger().notices().pending(Optional.of(PARENT)))
                .extracting(Notice::kind)
                .containsExactly("changed");
        ledger().finish(run, 1, end(new RunEvent.Lost(Cause.PERCH_LOST, true)));
        assertThat(ledger().notices().pending(Optional.of(PARENT)))
                .as("not what it was before")
                .extracting(notice -> notice.kind() + " "
                        + notice.ofRun().orElseThrow().attempt().n())
                .containsExactly("changed 2");
        ledger().claimNext(Caps.NONE);
        ledger().finish(run, 2, end(SUCCESS));
        assertThat(ledger().notices().pending(Optional.of(PARENT)))
                .extracting(Notice::kind)
                .containsExactly("ended");
    }
}
