package dev.roost.house;

import dev.roost.ledger.Letter;
import dev.roost.ledger.Letters;
import dev.roost.ledger.Run;
import dev.roost.run.Question;
import dev.roost.run.Words;
import java.util.Optional;

/** Who answers in place of somebody who is late. */
record LateAnswer(Rooms rooms, Run run, ActiveTime time, Talk talk) {

    /** A question that nobody answers is answered by the rule for that; false if there is still time. */
    boolean give() {
        var patience = rooms.config().asking().timeout();
        if (patience.isEmpty() || time.waiting().compareTo(patience.get()) < 0) return false;
        var question = talk.heard().question().orElseThrow();
        boolean waiting = rooms.ledger().letters().of(run.id(), run.latest().n()).stream()
                .anyMatch(letter -> letter.questionId().equals(Optional.of(question.id())));
        if (waiting) return false;
        rooms.ledger()
                .letters()
                .post(
                        run.id(),
                        run.latest().n(),
                        question.kind() == Question.Kind.PERMISSION ? Letter.Kind.DENY : Letter.Kind.ANSWER,
                        Optional.of(question.id()),
                        new Letters.Words(
                                "Nobody answered within %s. Go on without, or say what you need and end."
                                        .formatted(Words.span(patience.get())),
                                "roost",
                                Optional.empty()));
        return true;
    }
}
