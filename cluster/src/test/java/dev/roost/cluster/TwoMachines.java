package dev.roost.cluster;

import dev.roost.agents.Task;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;

/** Two machines that share a ledger. */
abstract class TwoMachines extends SeveralMachines {

    Machine one;
    Machine two;

    @BeforeEach
    void twoMachines() throws IOException {
        machines.doing("say hello; while :; do sleep 0.2; done");
        one = machines.machine("one");
        two = machines.machine("two");
    }

    static Task sh(String script) {
        return new Task(List.of("sh", "-c", script), Optional.empty());
    }

    int count(String from) {
        return Integer.parseInt(machines.column("SELECT count(*) FROM " + from).getFirst());
    }

    /** As if it had not been heard of for a moment too long, and everybody waits for it. */
    void unheard(String name) {
        machines.execute("UPDATE node SET lease_until = clock_timestamp() - interval '1 second' WHERE name = '%s'"
                .formatted(name));
    }
}
