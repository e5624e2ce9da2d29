package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.ledger.testing.LedgerFixture;
import dev.roost.model.SessionEvent;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A parent session is offered what is pending: once a turn, and again until it arrived. */
interface NoticeOfferContract extends LedgerFixture {

    @Test
    default void what_is_pending_is_offered_once_a_turn_and_acknowledged_when_the_model_goes_on() {
        hear(PARENT, new SessionEvent.SessionStarted());
        ended(PARENT);
        ended(PARENT);
        ended(STRANGER);
        var offer = given(hear(PARENT, new SessionEvent.PromptSubmitted(true)));
        assertThat(offer.notices()).hasSize(2);
        ended(PARENT);
        assertThat(ledger().notices().pending(Optional.of(PARENT))).hasSize(3);
        assertThat(hear(PARENT, new SessionEvent.ToolsFinished()).offer())
                .as("one a turn")
                .isEmpty();
        assertThat(ledger().notices().pending(Optional.of(PARENT)))
                .as("the model went on")
                .hasSize(1);

        var second = hear(PARENT, new SessionEvent.TurnEnded(true)).offer().orElseThrow();
        assertThat(second.notices()).hasSize(1);
        assertThat(second.id()).isGreaterThan(offer.id());
        assertThat(ledger().notices().pending(Optional.of(STRANGER))).hasSize(1);
    }

    @Test
    default void an_offer_that_the_harness_never_got_is_made_again() {
        hear(PARENT, new SessionEvent.SessionStarted());
        ended(PARENT);
        assertThat(hear(PARENT, new SessionEvent.PromptSubmitted(true)).offer()).isPresent(); // the hook was cut short
        hear(PARENT, new SessionEvent.ToolsFinished());
        assertThat(ledger().notices().pending(Optional.of(PARENT)))
                .as("nothing proves that it arrived")
                .hasSize(1);
        hear(PARENT, new SessionEvent.PromptSubmitted(true));
        reopen();
        assertThat(given(hear(PARENT, new SessionEvent.PromptSubmitted(true))).notices())
                .hasSize(1);
    }

    @Test
    default void an_offer_in_a_turn_that_broke_off_is_made_again_in_the_next() {
        hear(PARENT, new SessionEvent.SessionStarted());
        ended(PARENT);
        given(hear(PARENT, new SessionEvent.PromptSubmitted(true)));
        assertThat(given(hear(PARENT, new SessionEvent.SessionStarted())).notices())
                .hasSize(1); // killed, and resumed
        assertThat(hear(PARENT, new SessionEvent.PromptSubmitted(true)).offer())
                .as("the session that began has it before it")
                .isEmpty();
        hear(PARENT, new SessionEvent.TurnEnded(true));
        assertThat(ledger().notices().pending(Optional.of(PARENT))).isEmpty();
    }

    @Test
    default void what_ends_between_the_start_and_the_first_prompt_is_told_with_the_prompt() {
        ended(PARENT);
        given(hear(PARENT, new SessionEvent.SessionStarted()));
        var late = ended(PARENT);
        assertThat(given(hear(PARENT, new SessionEvent.PromptSubmitted(true))).notices())
                .extracting(notice -> notice.ofRun().orElseThrow().run().id())
                .containsExactly(late.id());
    }

    @Test
    default void a_turn_that_was_kept_from_ending_is_not_told_again_though_nobody_lived_to_note_what_it_was_told() {
        hear(PARENT, new SessionEvent.SessionStarted());
        hear(PARENT, new SessionEvent.PromptSubmitted(true));
        ended(PARENT);
        assertThat(hear(PARENT, new SessionEvent.TurnEnded(true)).offer())
                .isPresent(); // written, and then the daemon died
        var goesOn = hear(PARENT, new SessionEvent.ToolsFinished());
        assertThat(goesOn.offer()).isEmpty();
        assertThat(goesOn.session().wakes()).isEqualTo(1);
        assertThat(ledger().notices().pending(Optional.of(PARENT)))
                .as("nothing proves that it arrived")
                .hasSize(1);
        assertThat(given(hear(PARENT, new SessionEvent.PromptSubmitted(true))).notices())
                .as("its next turn is told")
                .hasSize(1);
    }

    @Test
    default void the_first_prompt_is_not_told_again_what_the_start_may_have_been_told() {
        ended(PARENT);
        assertThat(hear(PARENT, new SessionEvent.SessionStarted()).offer())
                .isPresent(); // written, and then the daemon died
        assertThat(hear(PARENT, new SessionEvent.PromptSubmitted(true)).offer()).isEmpty();
        assertThat(given(hear(PARENT, new SessionEvent.PromptSubmitted(true))).notices())
                .hasSize(1);
    }

    @Test
    default void a_wake_that_nobody_took_keeps_nothing_from_the_next_turn() {
        hear(PARENT, new SessionEvent.SessionStarted());
        hear(PARENT, new SessionEvent.PromptSubmitted(true));
        hear(PARENT, new SessionEvent.TurnEnded(true));
        ended(PARENT);
        var offer = ledger().sessions().wake(PARENT, (_, _) -> true).orElseThrow();
        assertThat(ledger().sessions().cancel(offer.id())).isTrue();
        assertThat(ledger().sessions().cancel(offer.id())).isFalse();
        var again = ledger().sessions().wake(PARENT, (_, _) -> true).orElseThrow(); // and then the daemon died
        var told = given(hear(PARENT, new SessionEvent.PromptSubmitted(true)));
        assertThat(told.notices()).as("a user began this turn, so no wake did").hasSize(1);
        assertThat(told.id()).isGreaterThan(again.id());
        assertThat(ledger().sessions().cancel(told.id())).as("it was written").isFalse();
    }

    @Test
    default void reading_a_run_takes_it_out_of_what_is_offered() {
        hear(PARENT, new SessionEvent.SessionStarted());
        var run = ended(PARENT);
        ledger().notices().markRead(run.id(), 1);
        assertThat(hear(PARENT, new SessionEvent.PromptSubmitted(true)).offer()).isEmpty();
    }

    @Test
    default void what_a_cleared_session_leaves_goes_to_the_one_that_follows_it() {
        var unread = ended(PARENT);
        var read = ended(PARENT);
        ledger().notices().markRead(read.id(), 1);
        var live = running(aRun());
        assertThat(ledger().sessions().transferRuns(PARENT, STRANGER))
                .containsExactlyInAnyOrder(unread.id(), live.id());
        assertThat(ledger().runs().find(read.id()).orElseThrow().owner()).isEqualTo(PARENT);
        assertThat(ledger().runs().find(live.id()).orElseThrow().owner()).isEqualTo(STRANGER);
        assertThat(hear(STRANGER, new SessionEvent.PromptSubmitted(true))
                        .offer()
                        .orElseThrow()
                        .notices())
                .hasSize(1);
        ledger().finish(live.id(), 1, end(SUCCESS, "done"));
        assertThat(ledger().notices().pending(Optional.of(STRANGER))).hasSize(2);
    }
}
