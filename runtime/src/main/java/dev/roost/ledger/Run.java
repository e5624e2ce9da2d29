package dev.roost.ledger;

import dev.roost.run.Budget;
import dev.roost.run.Notify;
import dev.roost.run.Owner;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** A run and its latest attempt, read together; {@code holder} is the node that has its files where there are several. */
public record Run(
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
        Notify tell,
        Optional<Work> work,
        Optional<String> holder,
        Instant createdAt,
        Attempt latest) {

    public Status status() {
        return latest.status();
    }

    /** Its name, or its id where it has none. */
    public String title() {
        return name.orElse(id.text());
    }
}
