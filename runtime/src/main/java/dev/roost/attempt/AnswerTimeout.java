package dev.roost.attempt;

import dev.roost.base.TextFormat;
import dev.roost.engine.RuntimeContext;
import dev.roost.ledger.MessageStore;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.SentMessage;
import dev.roost.model.Question;
import java.util.Optional;

/** Who answers in place of somebody who is late. */
record AnswerTimeout(RuntimeContext context, RunRecord run, ActiveTime time, AgentConversation conversation) {

    /** A question that nobody answers is answered by the rule for that; false if there is still time. */
    boolean answerIfDue() {
        var patience = context.config().questionPolicy().timeout();
        if (patience.isEmpty() || time.waiting().compareTo(patience.get()) < 0) return false;
        var question = conversation.agentState().question().orElseThrow();
        boolean waiting = context.ledger().messages().of(run.id(), run.latest().n()).stream()
                .anyMatch(message -> message.questionId().equals(Optional.of(question.id())));
        if (waiting) return false;
        context.ledger()
                .messages()
                .post(
                        run.id(),
                        run.latest().n(),
                        question.kind() == Question.Kind.PERMISSION
                                ? SentMessage.MessageKind.DENY
                                : SentMessage.MessageKind.ANSWER,
                        Optional.of(question.id()),
                        new MessageStore.MessageText(
                                "Nobody answered within %s. Go on without, or say what you need and end."
                                        .formatted(TextFormat.span(patience.get())),
                                "roost",
                                Optional.empty()));
        return true;
    }
}
