package dev.roost.attempt;

import dev.roost.attempt.core.AttemptHistory;
import dev.roost.attempt.core.EarlierUsage;
import dev.roost.engine.RuntimeContext;
import dev.roost.home.AttemptDirectory;
import dev.roost.home.PrivateFiles;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.EventKind;
import java.io.IOException;

/** Reads what the earlier attempts of a run were, from the ledger and their files. */
final class AttemptHistoryReader {

    private final RuntimeContext context;
    private final RunRecord run;

    AttemptHistoryReader(RuntimeContext context, RunRecord run) {
        this.context = context;
        this.run = run;
    }

    AttemptHistory history() {
        var runs = context.ledger().runs();
        return AttemptHistory.of(run.latest().turn(), runs.attempts(run.id()), runs.events(run.id()));
    }

    /** Whether the run resumes if its latest attempt is lost. */
    boolean mayResume() {
        return run.resumeOnLoss()
                && AttemptPreparation.canContinue(context, run)
                && history().allowsLoss(context.config().maxAttempts());
    }

    /** Whether a move of the latest attempt to another node has begun. */
    boolean isMoving() {
        return context.ledger().runs().events(run.id()).stream()
                .anyMatch(event -> event.attempt() == run.latest().n() && EventKind.MOVING.is(event.kind()));
    }

    EarlierUsage earlierUsage() throws IOException {
        var latest = run.latest();
        var sum = EarlierUsage.NONE;
        if (latest.n() == 1) return sum;
        for (var attempt : context.ledger().runs().attempts(run.id())) {
            if (attempt.n() >= latest.n() || attempt.turn() != latest.turn()) continue;
            sum = new EarlierUsage(
                    sum.usage().plus(attempt.usage()),
                    sum.active().plus(attempt.progress().active()),
                    sum.outputBytes() + outputBytes(context.home().run(run.id()).attempt(attempt.n())));
        }
        return sum;
    }

    static long outputBytes(AttemptDirectory directory) throws IOException {
        return PrivateFiles.size(directory.out()) + PrivateFiles.size(directory.err());
    }
}
