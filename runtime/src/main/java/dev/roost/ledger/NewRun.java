package dev.roost.ledger;

import dev.roost.run.Budget;
import dev.roost.run.Notify;
import dev.roost.run.Owner;
import dev.roost.run.RunId;
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
        Notify tell,
        Optional<String> callKey,
        Optional<Work.Place> place) {

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

    /** What is read of it once it was accepted at that time. */
    Run accepted(Instant at) {
        return new Run(
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
                tell,
                place.map(Work::planned),
                Optional.empty(),
                at,
                Attempt.first(at));
    }
}
