package dev.roost.worktrees;

import dev.roost.base.RoostError;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.EventKind;
import dev.roost.model.RunId;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Records problems with worktrees: reports each once, and clears it when it is solved. */
final class WorktreeProblems {

    private static final System.Logger LOG = System.getLogger(WorktreeProblems.class.getName());

    private final Ledger ledger;
    private final BooleanSupplier closing;

    WorktreeProblems(Ledger ledger, BooleanSupplier closing) {
        this.ledger = ledger;
        this.closing = closing;
    }

    /** Reports a problem. Synchronized, so that two threads with the same problem report it once. */
    synchronized void report(RunRecord run, String what, RuntimeException e) {
        if (closing.getAsBoolean()) return; // closing interrupted the work; the next daemon retries
        var why = e instanceof RoostError known ? known.sentence() : String.valueOf(e.getMessage());
        ledger.worktrees().recordProblem(run.id(), Optional.of("%s: %s".formatted(what, why)));
        int attempt = run.latest().n();
        boolean reported = ledger.runs().events(run.id()).stream()
                .anyMatch(event -> event.attempt() == attempt
                        && EventKind.TROUBLE.is(event.kind())
                        && event.text().startsWith(what));
        if (reported) return; // the work is retried every few minutes
        LOG.log(System.Logger.Level.WARNING, "%s: %s".formatted(run.id(), what), e);
        ledger.note(run.id(), attempt, EventKind.TROUBLE, "%s: %s".formatted(what, why));
    }

    /** Clears the problem if it is this one. */
    void clear(RunId run, String what) {
        ledger.runs()
                .find(run)
                .flatMap(RunRecord::work)
                .flatMap(WorktreeRecord::trouble)
                .filter(trouble -> trouble.startsWith(what))
                .ifPresent(_ -> ledger.worktrees().recordProblem(run, Optional.empty()));
    }
}
