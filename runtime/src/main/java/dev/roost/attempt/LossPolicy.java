package dev.roost.attempt;

import dev.roost.engine.RuntimeContext;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.EventKind;
import dev.roost.model.Status;
import java.util.stream.Collectors;

/** Counts the losses of a run in this turn and decides whether it resumes. A move by the operator is not a loss. */
final class LossPolicy {

    /** So many losses before the start are not counted; more of them count, as the run may crash every machine. */
    private static final int UNCOUNTED_EARLY_LOSSES = 8;

    private LossPolicy() {}

    /** Whether a move of its latest attempt to another node has begun. */
    static boolean isMoving(RuntimeContext context, RunRecord run) {
        return context.ledger().runs().events(run.id()).stream()
                .anyMatch(event -> event.attempt() == run.latest().n() && EventKind.MOVING.is(event.kind()));
    }

    /** Whether the run resumes if its latest attempt is lost. */
    static boolean mayResume(RuntimeContext context, RunRecord run) {
        return run.resumeOnLoss()
                && AttemptPreparation.canContinue(context, run)
                && count(context, run) + 1 < context.config().maxAttempts();
    }

    private static long count(RuntimeContext context, RunRecord run) {
        var moved = context.ledger().runs().events(run.id()).stream()
                .filter(event -> EventKind.MOVING.is(event.kind()))
                .map(event -> event.attempt())
                .collect(Collectors.toSet());
        var lost = context.ledger().runs().attempts(run.id()).stream()
                .filter(attempt -> attempt.turn() == run.latest().turn() && attempt.status() == Status.ABANDONED)
                .filter(attempt -> !moved.contains(attempt.n()))
                .toList();
        long begun =
                lost.stream().filter(attempt -> attempt.began().isPresent()).count();
        return begun + Math.max(0, lost.size() - begun - UNCOUNTED_EARLY_LOSSES);
    }
}
