package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.ledger.record.InputLine;
import dev.roost.ledger.record.NoticeRecord;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.SentMessage;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.ledger.testing.LedgerFixture;
import dev.roost.model.Caps;
import dev.roost.model.Cause;
import dev.roost.model.Outcome;
import dev.roost.model.Phase;
import dev.roost.model.Question;
import dev.roost.model.RunEvent;
import dev.roost.model.StopReason;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Questions of an attempt, and messages to it. */
interface MessageStoreContract extends LedgerFixture {

    @Test
    default void a_question_gets_a_notice_and_neither_outlives_the_attempt() {
        var run = running();
        var question = new Question("q1", Question.Kind.PERMISSION, "git push");
        assertThat(ledger().recordPhase(run, 1, Phase.NEEDS_INPUT, Optional.of(question)))
                .isTrue();
        reopen();
        assertThat(find(run).latest().asked().orElseThrow().question()).isEqualTo(question);
        assertThat(ledger().notices().pending(Optional.empty()))
                .singleElement()
                .satisfies(notice -> assertThat(notice.kind()).isEqualTo("needs_input"));
        ledger().finish(run, 1, end(SUCCESS));
        assertThat(find(run).latest().asked()).isEmpty();
        assertThat(ledger().notices().pending(Optional.empty()))
                .singleElement()
                .satisfies(notice -> assertThat(notice.kind()).isEqualTo("ended"));
        assertThat(ledger().recordPhase(run, 1, Phase.WORKING, Optional.empty()))
                .as("too late")
                .isFalse();
    }

    @Test
    default void
            the_notice_of_a_question_is_retracted_when_the_question_is_answered_or_the_attempt_is_stopped_or_lost() {
        var question = Optional.of(new Question("q1", Question.Kind.PERMISSION, "git push"));
        var run = running();
        ledger().recordPhase(run, 1, Phase.NEEDS_INPUT, question);
        ledger().recordPhase(run, 1, Phase.WORKING, Optional.empty());
        assertThat(ledger().notices().pending(Optional.empty())).as("answered").isEmpty();

        ledger().recordPhase(run, 1, Phase.NEEDS_INPUT, question);
        ledger().finish(run, 1, end(new RunEvent.Lost(Cause.PERCH_LOST, true)));
        assertThat(ledger().notices().pending(Optional.empty())).as("lost").isEmpty();

        ledger().claimNext(Caps.NONE);
        ledger().recordPhase(run, 2, Phase.NEEDS_INPUT, question);
        ledger().requestStop(run, StopReason.of(Cause.STOPPED, "operator"));
        ledger().finish(run, 2, end(new RunEvent.Exited(new Outcome.Canceled())));
        assertThat(ledger().notices().pending(Optional.empty()))
                .as("stopped")
                .extracting(NoticeRecord::kind)
                .containsExactly("ended");
    }

    @Test
    default void each_line_has_one_number_however_often_it_is_sent() {
        var run = running();
        var message = ledger().messages()
                .post(
                        run,
                        1,
                        SentMessage.MessageKind.WORDS,
                        Optional.empty(),
                        new MessageStore.MessageText("hello", "operator", Optional.empty()))
                .orElseThrow();
        assertThat(ledger().messages().of(run, 1))
                .singleElement()
                .satisfies(one -> assertThat(one.delivered()).isFalse());
        var lines = List.of(
                new InputLine(0, message.key(), Optional.of("a line")), new InputLine(0, "end", Optional.empty()));
        assertThat(ledger().messages().send(run, 1, lines))
                .extracting(InputLine::n)
                .containsExactly(2, 3);
        assertThat(ledger().messages().send(run, 1, lines)).isEmpty();
        reopen();
        assertThat(ledger().messages().sent(run, 1)).extracting(InputLine::key).containsExactly(message.key(), "end");
        assertThat(ledger().messages().of(run, 1))
                .singleElement()
                .satisfies(one -> assertThat(one.delivered()).isTrue());
        ledger().finish(run, 1, end(SUCCESS));
        assertThat(ledger().messages()
                        .post(
                                run,
                                1,
                                SentMessage.MessageKind.WORDS,
                                Optional.empty(),
                                new MessageStore.MessageText("late", "operator", Optional.empty())))
                .isEmpty();
        assertThat(ledger().messages().send(run, 1, List.of(new InputLine(0, "late", Optional.of("x")))))
                .isEmpty();
    }

    @Test
    default void a_repeated_call_sends_its_message_once() {
        var run = running();
        var text = new MessageStore.MessageText("hello", "operator", Optional.of("bridge:2"));
        assertThat(ledger().messages().post(run, 1, SentMessage.MessageKind.WORDS, Optional.empty(), text))
                .isPresent();
        assertThat(ledger().messages().findByCallKey("bridge:2").map(RunRecord::id))
                .contains(run);
        ledger().finish(run, 1, end(SUCCESS));
        assertThat(ledger().continueAfter(run, 1, "operator", Optional.of("bridge:3"), StreamPosition.START))
                .isPresent();
        assertThat(ledger().messages().findByCallKey("bridge:3").map(RunRecord::id))
                .contains(run);
        assertThat(ledger().messages().findByCallKey("bridge:4")).isEmpty();
    }
}
