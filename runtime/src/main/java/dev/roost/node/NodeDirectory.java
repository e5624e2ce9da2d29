package dev.roost.node;

import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import dev.roost.model.DoctorResult;
import java.util.List;
import java.util.Optional;

/** The nodes of a cluster, for its operators. A home outside a cluster has none. */
public interface NodeDirectory {

    NodeDirectory NONE = new NodeDirectory() {};

    /** All nodes, ordered by name. */
    default List<NodeStatus> list() {
        return List.of();
    }

    /** Stops placing runs on a node, by default this one; with {@code move}, its runs move to other nodes where possible. */
    default NodeStatus drain(Optional<String> name, boolean move) {
        throw notInCluster();
    }

    /** Places runs on the node again. */
    default NodeStatus resume(String name) {
        throw notInCluster();
    }

    /** Removes a node that does not come back. It must have no runs. */
    default NodeStatus forget(String name) {
        throw notInCluster();
    }

    /** The doctor's results for the cluster, as seen from this node. */
    default List<DoctorResult> examine() {
        return List.of();
    }

    private static RoostError notInCluster() {
        return ErrorCode.NOT_IN_CLUSTER.error("This home is not part of a cluster.");
    }
}
