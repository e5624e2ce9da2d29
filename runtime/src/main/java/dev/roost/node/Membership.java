package dev.roost.node;

import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.RunId;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;

/** This node among the others: its name, and which runs are its own. */
public interface Membership extends AutoCloseable {

    /** The name of this node in the cluster; empty outside a cluster. */
    String self();

    /** Whether this node owns the run's latest attempt. */
    boolean owns(RunRecord run);

    /** Whether this node has the attempt, or has ended it. */
    boolean ran(AttemptRecord attempt);

    /** Whether this node has the run's files. */
    boolean holds(RunRecord run);

    /** Whether the node has a valid lease. */
    boolean isAlive(String node);

    /** Whether the cluster has this node, live or not. A node that was forgotten does not come back with its runs. */
    boolean isKnown(String node);

    /** All nodes, for operators. */
    default NodeDirectory directory() {
        return NodeDirectory.NONE;
    }

    /** The environment variables of this machine. */
    default Map<String, String> machineEnvironment() {
        return System.getenv();
    }

    /** Called before recovery: has the attempts killed here that other nodes took over while no daemon was here. */
    default void recover(AttemptControl attempts) throws IOException {}

    /** Joins the cluster: from now on {@code attempts} receives the changes by other nodes. */
    default void join(AttemptControl attempts) {}

    /** Has {@code live} runs read again if other nodes may have changed them; called by each sweep. */
    default void refresh(AttemptControl attempts, Collection<RunId> live) {}

    /** Accepts no more runs. The files of local runs can still be shared. */
    default void stopAccepting() {}

    @Override
    default void close() {}
}
