package dev.roost.house;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.agents.Profile;
import dev.roost.ledger.NewRun;
import dev.roost.ledger.Run;
import dev.roost.ledger.SqliteLedger;
import dev.roost.run.Budget;
import dev.roost.run.Caps;
import dev.roost.run.RunId;
import dev.roost.supervisor.Spec;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs that no daemon has begun: their rows and directories are made by hand, while none is there. */
abstract class RunsByHand extends RealProcesses {

    /** As a daemon left it that died before it claimed it. */
    RunId row(String... argv) throws IOException {
        var id = RunId.create(clock().now());
        home.run(id).create();
        home.run(id)
                .attempt(1)
                .create(
                        new Spec(List.of(argv), scratch, "022", Spec.Input.NOTHING, Optional.empty()),
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
                            Profile.plain("command").json(),
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

    void claim() {
        try (var ledger = SqliteLedger.open(home.ledger(), clock())) {
            assertThat(ledger.claimNext(Caps.NONE)).isPresent();
        }
    }

    Run show(RunId run) {
        return house.find(run.text(), AS_OPERATOR);
    }
}
