package dev.roost.ledger;

import dev.roost.run.Budget;
import dev.roost.run.Owner;
import dev.roost.run.RunId;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** Runs to submit where it does not matter which. */
public final class NewRuns {

    private NewRuns() {}

    public static NewRun of(Owner owner, Instant now) {
        return new NewRun(
                RunId.create(now),
                Optional.empty(),
                owner,
                "command",
                "command",
                "{}",
                "make test",
                Path.of("/"),
                Budget.ofOutput(1 << 30),
                true,
                1,
                Optional.empty());
    }
}
