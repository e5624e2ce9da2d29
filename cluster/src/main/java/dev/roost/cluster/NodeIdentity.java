package dev.roost.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A node's own description. {@code home} distinguishes two homes with the same node name; {@code labels} are what runs may
 * require of it; {@code clusterLive} is the limit of live runs for the whole cluster.
 */
public record NodeIdentity(
        String name, String home, String version, Set<String> labels, int maxLive, int clusterLive, LeaseTimes leases) {

    /** A copy with further labels. */
    NodeIdentity with(Set<String> more) {
        var all = new TreeSet<>(labels);
        all.addAll(more);
        return new NodeIdentity(name, home, version, all, maxLive, clusterLive, leases);
    }

    /** The directories that it shares with other nodes. */
    List<Path> directories() {
        return labels.stream()
                .filter(label -> label.startsWith(NodeRequirements.DIRECTORY))
                .map(label -> Path.of(label.substring(NodeRequirements.DIRECTORY.length())))
                .sorted()
                .toList();
    }

    /**
     * A node without a heartbeat for {@code lease} is given no more runs; after {@code grace}, in which it may come back, its
     * runs are taken over.
     */
    public record LeaseTimes(Duration lease, Duration grace) {
        public static final LeaseTimes DEFAULT = new LeaseTimes(Duration.ofSeconds(10), Duration.ofSeconds(30));
    }
}
