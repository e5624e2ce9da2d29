package dev.roost.node;

import dev.roost.base.Refusal;
import dev.roost.model.DoctorResult;
import java.util.List;
import java.util.Optional;

/** The nodes of a cluster, for its operators. A home that is alone has none. */
public interface NodeDirectory {

    NodeDirectory NONE = new NodeDirectory() {};

    /** By name. */
    default List<NodeStatus> list() {
        return List.of();
    }

    /** It is given nothing more; with {@code move}, what it has goes on elsewhere as far as it can. By default this one. */
    default NodeStatus drain(Optional<String> name, boolean move) {
        throw alone();
    }

    /** It is given runs again. */
    default NodeStatus resume(String name) {
        throw alone();
    }

    /** For one that does not come back; it must have nothing any more. */
    default NodeStatus forget(String name) {
        throw alone();
    }

    /** What the doctor says of the cluster, as seen from here. */
    default List<DoctorResult> examine() {
        return List.of();
    }

    private static Refusal alone() {
        return new Refusal(
                "alone", "This home is alone: it is no node of a cluster.", "docs/cluster.md says how it becomes one.");
    }
}
