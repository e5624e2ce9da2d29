package dev.roost.cluster;

import java.time.Duration;
import java.util.Set;

/**
 * What a node says of itself. {@code home} tells two homes apart that call themselves the same; {@code labels} are what
 * runs may need of it; {@code clusterLive} is how many runs all nodes together may have.
 */
public record Member(
        String name, String home, String version, Set<String> labels, int maxLive, int clusterLive, Leases leases) {

    /**
     * A node that was not heard of for {@code lease} is given nothing more; what it has is taken over after {@code grace},
     * in which it may come back.
     */
    public record Leases(Duration lease, Duration grace) {
        public static final Leases DEFAULT = new Leases(Duration.ofSeconds(10), Duration.ofSeconds(30));
    }
}
