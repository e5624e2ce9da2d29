package dev.roost.house;

import dev.roost.run.Refused;
import java.util.List;
import java.util.Optional;

/** The nodes of a cluster, for its operators. A home that is alone has none. */
public interface Nodes {

    Nodes NONE = new Nodes() {};

    /** By name. */
    default List<Peer> list() {
        return List.of();
    }

    /** It is given nothing more; with {@code move}, what it has goes on elsewhere as far as it can. By default this one. */
    default Peer drain(Optional<String> name, boolean move) {
        throw alone();
    }

    /** It is given runs again. */
    default Peer resume(String name) {
        throw alone();
    }

    /** For one that does not come back; it must have nothing any more. */
    default Peer forget(String name) {
        throw alone();
    }

    /** What the doctor says of the cluster, as seen from here. */
    default List<Finding> examine() {
        return List.of();
    }

    private static Refused alone() {
        return new Refused(
                "alone", "This home is alone: it is no node of a cluster.", "docs/cluster.md says how it becomes one.");
    }
}
