package dev.roost.ledger;

import dev.roost.run.Budget;
import dev.roost.run.Owner;
import dev.roost.run.RunId;
import java.nio.file.Path;
import java.util.Optional;

/** What is needed to accept a run. */
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
        Optional<RunId> parent) {}
