package dev.roost.attempt;

import dev.roost.engine.RuntimeContext;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.EventKind;
import dev.roost.model.Status;
import java.util.stream.Collectors;

/** How often a run was lost in this turn, and whether it goes on after another loss; to be moved by the operator is none. */
final class LossPolicy {

    /** What is lost before it began has cost nothing; unless it is always lost then, and takes its machine along. */
    private static final int FOR_NOTHING = 8;

    private LossPolicy() {}

    /** Whether somebody saw to it before that its latest attempt goes on elsewhere. */
    static boolean isMoving(RuntimeContext context, RunRecord run) {
        return context.ledger().runs().events(run.id()).stream()
                .anyMatch(event -> event.attempt() == run.latest().n() && EventKind.MOVING.is(event.kind()));
    }

    /** Whether the run goes on if its latest attempt is lost. */
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
                .filter(one -> one.turn() == run.latest().turn() && one.status() == Status.ABANDONED)
                .filter(one -> !moved.contains(one.n()))
                .toList();
        long begun = lost.stream().filter(one -> one.began().isPresent()).count();
        return begun + Math.max(0, lost.size() - begun - FOR_NOTHING);
    }
}
