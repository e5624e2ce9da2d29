package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.run.Caps;
import dev.roost.run.Cause;
import dev.roost.run.Outcome;
import dev.roost.run.Phase;
import dev.roost.run.Question;
import dev.roost.run.RunEvent;
import dev.roost.run.Stop;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What an attempt asks, and what is said to it. */
interface LettersContract extends LedgerStage {

    @Test
    default void a_question_comes_with_its_notice_and_neither_outlives_the_attempt() {
        var run = running();
        var question = new Question("q1", Question.Kind.PERMISSION, "git push");
        assertThat(ledger().phase(run, 1, Phase.NEEDS_INPUT, Optional.of(question)))
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
        assertThat(ledger().phase(run, 1, Phase.WORKING, Optional.empty()))
                .as("too late")
                .isFalse();
    }

    @Test
    default void a_question_keeps_nobody_waiting_once_it_is_answered_or_its_attempt_stopped_or_lost() {
        var question = Optional.of(new Question("q1", Question.Kind.PERMISSION, "git push"));
        var run = running();
        ledger().phase(run, 1, Phase.NEEDS_INPUT, question);
        ledger().phase(run, 1, Phase.WORKING, Optional.empty());
        assertThat(ledger().notices().pending(Optional.empty())).as("answered").isEmpty();

        ledger().phase(run, 1, Phase.NEEDS_INPUT, question);
        ledger().finish(run, 1, end(new RunEvent.Lost(Cause.PERCH_LOST, true)));
        assertThat(ledger().notices().pending(Optional.empty())).as("lost").isEmpty();

        ledger().claimNext(Caps.NONE);
        ledger().phase(run, 2, Phase.NEEDS_INPUT, question);
        ledger().requestStop(run, Stop.of(Cause.STOPPED, "operator"));
        ledger().finish(run, 2, end(new RunEvent.Exited(new Outcome.Canceled())));
        assertThat(ledger().notices().pending(Optional.empty()))
                .as("stopped")
                .extracting(Notice::kind)
                .containsExactly("ended");
    }

    @Test
    default void each_line_has_one_number_however_often_it_is_sent() {
        var run = running();
        var letter = ledger().letters()
                .post(
                        run,
                        1,
                        Letter.Kind.WORDS,
                        Optional.empty(),
                        new Letters.Words("hello", "operator", Optional.empty()))
                .orElseThrow();
        assertThat(ledger().letters().of(run, 1))
                .singleElement()
                .satisfies(one -> assertThat(one.delivered()).isFalse());
        var lines = List.of(new Line(0, letter.key(), Optional.of("a line")), new Line(0, "end", Optional.empty()));
        assertThat(ledger().letters().send(run, 1, lines)).extracting(Line::n).containsExactly(2, 3);
        assertThat(ledger().letters().send(run, 1, lines)).isEmpty();
        reopen();
        assertThat(ledger().letters().sent(run, 1)).extracting(Line::key).containsExactly(letter.key(), "end");
        assertThat(ledger().letters().of(run, 1))
                .singleElement()
                .satisfies(one -> assertThat(one.delivered()).isTrue());
        ledger().finish(run, 1, end(SUCCESS));
        assertThat(ledger().letters()
                        .post(
                                run,
                                1,
                                Letter.Kind.WORDS,
                                Optional.empty(),
                                new Letters.Words("late", "operator", Optional.empty())))
                .isEmpty();
        assertThat(ledger().letters().send(run, 1, List.of(new Line(0, "late", Optional.of("x")))))
                .isEmpty();
    }

    @Test
    default void a_call_that_is_made_again_says_nothing_twice() {
        var run = running();
        var words = new Letters.Words("hello", "operator", Optional.of("bridge:2"));
        assertThat(ledger().letters().post(run, 1, Letter.Kind.WORDS, Optional.empty(), words))
                .isPresent();
        assertThat(ledger().letters().toldBy("bridge:2").map(Run::id)).contains(run);
        ledger().finish(run, 1, end(SUCCESS));
        assertThat(ledger().continueAfter(run, 1, "operator", Optional.of("bridge:3"), Position.START))
                .isPresent();
        assertThat(ledger().letters().toldBy("bridge:3").map(Run::id)).contains(run);
        assertThat(ledger().letters().toldBy("bridge:4")).isEmpty();
    }
}
