package dev.roost.node;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;

/**
 * The state of a node, for operators. {@code moves}: its runs are moving to other nodes where possible. {@code unheardFor}: the
 * time since its last lease renewal, by the clock of the database. {@code self}: this node answered the request.
 */
public record NodeStatus(
        String name,
        State state,
        boolean moves,
        int running,
        int slots,
        String version,
        Instant heardAt,
        Duration unheardFor,
        Set<String> labels,
        boolean self) {

    /** A draining node gets no more runs; an unheard node has no valid lease; a node that left is not expected back. */
    public enum State {
        LIVE,
        DRAINING,
        UNHEARD,
        LEFT;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
