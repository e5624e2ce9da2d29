package dev.roost.ledger.record;

import dev.roost.model.Budget;
import dev.roost.model.Notify;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** A run to accept. A repeated call has the same {@code callKey} and does not start a second run. */
public record NewRun(
        RunId id,
        Optional<String> name,
        Owner owner,
        String agent,
        String driver,
        String profile,
        String description,
        Path cwd,
        Budget budget,
        boolean resumeOnLoss,
        int depth,
        Optional<RunId> parent,
        Notify notifyMode,
        Optional<String> callKey,
        Optional<WorktreeRecord.WorktreePlace> place) {

    public NewRun(
            RunId id,
            Optional<String> name,
            Owner owner,
            String agent,
            String driver,
            String profile,
            String description,
            Path cwd,
            Budget budget,
            boolean resumeOnLoss,
            int depth,
            Optional<RunId> parent) {
        this(
                id,
                name,
                owner,
                agent,
                driver,
                profile,
                description,
                cwd,
                budget,
                resumeOnLoss,
                depth,
                parent,
                Notify.DONE,
                Optional.empty(),
                Optional.empty());
    }

    /** The record of the run after its acceptance at {@code at}. */
    public RunRecord accepted(Instant at) {
        return new RunRecord(
                id,
                name,
                owner,
                agent,
                driver,
                profile,
                Optional.empty(),
                description,
                cwd,
                budget,
                resumeOnLoss,
                depth,
                parent,
                notifyMode,
                place.map(WorktreeRecord::planned),
                Optional.empty(),
                at,
                AttemptRecord.first(at));
    }
}
