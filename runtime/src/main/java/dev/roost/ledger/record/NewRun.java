package dev.roost.ledger.record;

import dev.roost.model.Budget;
import dev.roost.model.Notify;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** What is needed to accept a run; a call that is made again has the same {@code callKey}, and starts nothing anew. */
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
            Optional<RunId> session) {
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
                session,
                Notify.DONE,
                Optional.empty(),
                Optional.empty());
    }

    /** What is read of it once it was accepted at that time. */
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
