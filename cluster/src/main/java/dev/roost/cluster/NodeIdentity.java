package dev.roost.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a node says of itself. {@code home} tells two homes apart that call themselves the same; {@code labels} are what
 * runs may need of it; {@code clusterLive} is how many runs all nodes together may have.
 */
public record NodeIdentity(
        String name, String home, String version, Set<String> labels, int maxLive, int clusterLive, LeaseTimes leases) {

    /** The same with more labels. */
    NodeIdentity with(Set<String> more) {
        var all = new TreeSet<>(labels);
        all.addAll(more);
        return new NodeIdentity(name, home, version, all, maxLive, clusterLive, leases);
    }

    /** Those that it has in common with others. */
    List<Path> directories() {
        return labels.stream()
                .filter(label -> label.startsWith(NodeRequirements.DIRECTORY))
                .map(label -> Path.of(label.substring(NodeRequirements.DIRECTORY.length())))
                .sorted()
                .toList();
    }

    /**
     * A node that was not heard of for {@code lease} is given nothing more; what it has is taken over after {@code grace},
     * in which it may come back.
     */
    public record LeaseTimes(Duration lease, Duration grace) {
        public static final LeaseTimes DEFAULT = new LeaseTimes(Duration.ofSeconds(10), Duration.ofSeconds(30));
    }
}
