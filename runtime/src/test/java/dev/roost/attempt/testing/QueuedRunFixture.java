package dev.roost.attempt.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.agents.AgentProfile;
import dev.roost.home.AttemptSpec;
import dev.roost.ledger.SqliteLedger;
import dev.roost.ledger.record.NewRun;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Budget;
import dev.roost.model.Caps;
import dev.roost.model.RunId;
import dev.roost.service.RealProcessFixture;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes rows and directories of queued runs by hand, while no daemon runs. */
public abstract class QueuedRunFixture extends RealProcessFixture {

    /** Makes a queued run as a daemon leaves it that died before the claim. */
    public RunId row(String... argv) throws IOException {
        var id = RunId.create(clock().now());
        home.run(id).create();
        home.run(id)
                .attempt(1)
                .create(
                        new AttemptSpec(List.of(argv), scratch, "022", AttemptSpec.Input.NOTHING, Optional.empty()),
                        Map.of("PATH", System.getenv("PATH"), "SCRATCH", scratch.toString()),
                        Optional.empty(),
                        "");
        try (var ledger = SqliteLedger.open(home.ledger(), clock())) {
            ledger.submit(
                    new NewRun(
                            id,
                            Optional.empty(),
                            PARENT,
                            "command",
                            "command",
                            AgentProfile.plain("command").json(),
                            "by hand",
                            scratch,
                            Budget.ofOutput(1 << 30),
                            false,
                            1,
                            Optional.empty()),
                    Caps.NONE);
        }
        return id;
    }

    public void claim() {
        try (var ledger = SqliteLedger.open(home.ledger(), clock())) {
            assertThat(ledger.claimNext(Caps.NONE)).isPresent();
        }
    }

    public RunRecord show(RunId run) {
        return service.find(run.text(), AS_OPERATOR);
    }
}
