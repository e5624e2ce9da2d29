package dev.roost.cluster.testing;

import dev.roost.agents.Task;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;

/** Two machines that share a ledger. */
public abstract class TwoMachineFixture extends ClusterMachinesFixture {

    public ClusterMachine one;
    public ClusterMachine two;

    @BeforeEach
    void twoMachines() throws IOException {
        clusterMachines.doing("say hello; while :; do sleep 0.2; done");
        one = clusterMachines.machine("one");
        two = clusterMachines.machine("two");
    }

    public static Task sh(String script) {
        return new Task(List.of("sh", "-c", script), Optional.empty());
    }

    public int count(String from) {
        return Integer.parseInt(
                clusterMachines.column("SELECT count(*) FROM " + from).getFirst());
    }

    /** Moves the last heartbeat just beyond the lease, while other nodes wait for it. */
    public void unheard(String name) {
        clusterMachines.execute(
                "UPDATE node SET lease_until = clock_timestamp() - interval '1 second' WHERE name = '%s'"
                        .formatted(name));
    }
}
