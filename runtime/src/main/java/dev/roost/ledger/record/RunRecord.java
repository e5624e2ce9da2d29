package dev.roost.ledger.record;

import dev.roost.model.Budget;
import dev.roost.model.Notify;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** A run and its latest attempt, read together; {@code holder} is the node that holds its files, in a cluster. */
public record RunRecord(
        RunId id,
        Optional<String> name,
        Owner owner,
        String agent,
        String driver,
        String profile,
        Optional<String> sessionId,
        String description,
        Path cwd,
        Budget budget,
        boolean resumeOnLoss,
        int depth,
        Optional<RunId> parent,
        Notify notifyMode,
        Optional<WorktreeRecord> work,
        Optional<String> holder,
        Instant createdAt,
        AttemptRecord latest) {

    public Status status() {
        return latest.status();
    }

    /** The run's name, or its id if it has none. */
    public String title() {
        return name.orElse(id.text());
    }
}
