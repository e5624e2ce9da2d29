package dev.roost.worktrees;

import dev.roost.base.RoostError;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.EventKind;
import dev.roost.model.RunId;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** What is wrong with runs' worktrees: told once, and no longer once it is right again. */
final class WorktreeProblems {

    private static final System.Logger LOG = System.getLogger(WorktreeProblems.class.getName());

    private final Ledger ledger;
    private final BooleanSupplier leaving;

    WorktreeProblems(Ledger ledger, BooleanSupplier leaving) {
        this.ledger = ledger;
        this.leaving = leaving;
    }

    /** One at a time: two who find the same trouble at once are one to be told of. */
    synchronized void report(RunRecord run, String what, RuntimeException e) {
        if (leaving.getAsBoolean()) return; // it was interrupted; the next daemon looks
        var why = e instanceof RoostError known ? known.sentence() : String.valueOf(e.getMessage());
        ledger.worktrees().recordProblem(run.id(), Optional.of("%s: %s".formatted(what, why)));
        int attempt = run.latest().n();
        boolean told = ledger.runs().events(run.id()).stream()
                .anyMatch(event -> event.attempt() == attempt
                        && EventKind.TROUBLE.is(event.kind())
                        && event.text().startsWith(what));
        if (told) return; // once is enough for what is tried again every few minutes
        LOG.log(System.Logger.Level.WARNING, "%s: %s".formatted(run.id(), what), e);
        ledger.note(run.id(), attempt, EventKind.TROUBLE, "%s: %s".formatted(what, why));
    }

    /** What was wrong is right again; another trouble stays. */
    void clear(RunId run, String what) {
        ledger.runs()
                .find(run)
                .flatMap(RunRecord::work)
                .flatMap(WorktreeRecord::trouble)
                .filter(trouble -> trouble.startsWith(what))
                .ifPresent(_ -> ledger.worktrees().recordProblem(run, Optional.empty()));
    }
}
