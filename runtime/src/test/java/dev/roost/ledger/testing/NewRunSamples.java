package dev.roost.ledger.testing;

import dev.roost.ledger.record.NewRun;
import dev.roost.model.Budget;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** Sample runs for tests that do not depend on their content. */
public final class NewRunSamples {

    private NewRunSamples() {}

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
