package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.ledger.testing.LedgerFixture;
import dev.roost.model.SessionEvent;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Pending notices are offered to the owner session once a turn, until they are acknowledged. */
interface NoticeOfferContract extends LedgerFixture {

    @Test
    default void pending_notices_are_offered_once_a_turn_and_acknowledged_when_the_model_continues() {
        reportEvent(OWNER, new SessionEvent.SessionStarted());
        ended(OWNER);
        ended(OWNER);
        ended(OTHER_OWNER);
        var offer = deliver(reportEvent(OWNER, new SessionEvent.PromptSubmitted(true)));
        assertThat(offer.notices()).hasSize(2);
        ended(OWNER);
        assertThat(ledger().notices().pending(Optional.of(OWNER))).hasSize(3);
        assertThat(reportEvent(OWNER, new SessionEvent.ToolsFinished()).offer())
                .as("one offer a turn")
                .isEmpty();
        assertThat(ledger().notices().pending(Optional.of(OWNER)))
                .as("the model continued")
                .hasSize(1);

        var second =
                reportEvent(OWNER, new SessionEvent.TurnEnded(true)).offer().orElseThrow();
        assertThat(second.notices()).hasSize(1);
        assertThat(second.id()).isGreaterThan(offer.id());
        assertThat(ledger().notices().pending(Optional.of(OTHER_OWNER))).hasSize(1);
    }

    @Test
    default void an_offer_that_was_not_delivered_is_repeated() {
        reportEvent(OWNER, new SessionEvent.SessionStarted());
        ended(OWNER);
        assertThat(reportEvent(OWNER, new SessionEvent.PromptSubmitted(true)).offer())
                .isPresent(); // the hook was killed
        reportEvent(OWNER, new SessionEvent.ToolsFinished());
        assertThat(ledger().notices().pending(Optional.of(OWNER)))
                .as("nothing proves that it arrived")
                .hasSize(1);
        reportEvent(OWNER, new SessionEvent.PromptSubmitted(true));
        reopen();
        assertThat(deliver(reportEvent(OWNER, new SessionEvent.PromptSubmitted(true)))
                        .notices())
                .hasSize(1);
    }

    @Test
    default void an_offer_in_an_interrupted_turn_is_repeated_in_the_next() {
        reportEvent(OWNER, new SessionEvent.SessionStarted());
        ended(OWNER);
        deliver(reportEvent(OWNER, new SessionEvent.PromptSubmitted(true)));
        assertThat(deliver(reportEvent(OWNER, new SessionEvent.SessionStarted()))
                        .notices())
                .hasSize(1); // killed, and resumed
        assertThat(reportEvent(OWNER, new SessionEvent.PromptSubmitted(true)).offer())
                .as("the start of the session got the offer")
                .isEmpty();
        reportEvent(OWNER, new SessionEvent.TurnEnded(true));
        assertThat(ledger().notices().pending(Optional.of(OWNER))).isEmpty();
    }

    @Test
    default void an_end_between_the_start_and_the_first_prompt_is_offered_with_the_prompt() {
        ended(OWNER);
        deliver(reportEvent(OWNER, new SessionEvent.SessionStarted()));
        var late = ended(OWNER);
        assertThat(deliver(reportEvent(OWNER, new SessionEvent.PromptSubmitted(true)))
                        .notices())
                .extracting(notice -> notice.ofRun().orElseThrow().run().id())
                .containsExactly(late.id());
    }

    @Test
    default void a_continued_turn_gets_no_second_offer_after_a_crash_before_the_first_was_recorded() {
        reportEvent(OWNER, new SessionEvent.SessionStarted());
        reportEvent(OWNER, new SessionEvent.PromptSubmitted(true));
        ended(OWNER);
        assertThat(reportEvent(OWNER, new SessionEvent.TurnEnded(true)).offer())
                .isPresent(); // written, and then the daemon died
        var continued = reportEvent(OWNER, new SessionEvent.ToolsFinished());
        assertThat(continued.offer()).isEmpty();
        assertThat(continued.session().wakes()).isEqualTo(1);
        assertThat(ledger().notices().pending(Optional.of(OWNER)))
                .as("nothing proves that it arrived")
                .hasSize(1);
        assertThat(deliver(reportEvent(OWNER, new SessionEvent.PromptSubmitted(true)))
                        .notices())
                .as("the next turn gets the offer")
                .hasSize(1);
    }

    @Test
    default void the_first_prompt_does_not_repeat_an_offer_that_the_start_may_have_got() {
        ended(OWNER);
        assertThat(reportEvent(OWNER, new SessionEvent.SessionStarted()).offer())
                .isPresent(); // written, and then the daemon died
        assertThat(reportEvent(OWNER, new SessionEvent.PromptSubmitted(true)).offer())
                .isEmpty();
        assertThat(deliver(reportEvent(OWNER, new SessionEvent.PromptSubmitted(true)))
                        .notices())
                .hasSize(1);
    }

    @Test
    default void a_wake_without_a_listener_does_not_block_the_offer_of_the_next_turn() {
        reportEvent(OWNER, new SessionEvent.SessionStarted());
        reportEvent(OWNER, new SessionEvent.PromptSubmitted(true));
        reportEvent(OWNER, new SessionEvent.TurnEnded(true));
        ended(OWNER);
        var offer = ledger().sessions().wake(OWNER, (_, _) -> true).orElseThrow();
        assertThat(ledger().sessions().cancel(offer.id())).isTrue();
        assertThat(ledger().sessions().cancel(offer.id())).isFalse();
        var again = ledger().sessions().wake(OWNER, (_, _) -> true).orElseThrow(); // then the daemon died
        var nextOffer = deliver(reportEvent(OWNER, new SessionEvent.PromptSubmitted(true)));
        assertThat(nextOffer.notices())
                .as("a user's prompt began this turn, not a wake")
                .hasSize(1);
        assertThat(nextOffer.id()).isGreaterThan(again.id());
        assertThat(ledger().sessions().cancel(nextOffer.id()))
                .as("it was written")
                .isFalse();
    }

    @Test
    default void a_read_run_is_not_offered() {
        reportEvent(OWNER, new SessionEvent.SessionStarted());
        var run = ended(OWNER);
        ledger().notices().markRead(run.id(), 1);
        assertThat(reportEvent(OWNER, new SessionEvent.PromptSubmitted(true)).offer())
                .isEmpty();
    }

    @Test
    default void the_runs_of_a_cleared_session_move_to_its_successor() {
        var unread = ended(OWNER);
        var read = ended(OWNER);
        ledger().notices().markRead(read.id(), 1);
        var live = running(aRun());
        assertThat(ledger().sessions().transferRuns(OWNER, OTHER_OWNER))
                .containsExactlyInAnyOrder(unread.id(), live.id());
        assertThat(ledger().runs().find(read.id()).orElseThrow().owner()).isEqualTo(OWNER);
        assertThat(ledger().runs().find(live.id()).orElseThrow().owner()).isEqualTo(OTHER_OWNER);
        assertThat(reportEvent(OTHER_OWNER, new SessionEvent.PromptSubmitted(true))
                        .offer()
                        .orElseThrow()
                        .notices())
                .hasSize(1);
        ledger().finish(live.id(), 1, end(SUCCESS, "done"));
        assertThat(ledger().notices().pending(Optional.of(OTHER_OWNER))).hasSize(2);
    }
}
