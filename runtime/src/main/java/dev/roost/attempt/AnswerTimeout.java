package dev.roost.attempt;

import dev.roost.base.TextFormat;
import dev.roost.engine.RuntimeContext;
import dev.roost.ledger.MessageStore;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.SentMessage;
import dev.roost.model.Question;
import java.util.Optional;

/** Answers a question automatically when the answer timeout expires. */
record AnswerTimeout(RuntimeContext context, RunRecord run, ActiveTime time, AgentConversation conversation) {

    /** Posts the automatic answer if the timeout has expired and no answer is on its way; false if it posted none. */
    boolean answerIfDue() {
        var timeout = context.config().questionPolicy().timeout();
        if (timeout.isEmpty() || time.waiting().compareTo(timeout.get()) < 0) return false;
        var question = conversation.agentState().question().orElseThrow();
        boolean answered = context.ledger().messages().of(run.id(), run.latest().n()).stream()
                .anyMatch(message -> message.questionId().equals(Optional.of(question.id())));
        if (answered) return false;
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
                                        .formatted(TextFormat.span(timeout.get())),
                                "roost",
                                Optional.empty()));
        return true;
    }
}
