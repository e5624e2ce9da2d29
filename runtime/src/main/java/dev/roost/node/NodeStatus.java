package dev.roost.node;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;

/**
 * A node as its operators see it. {@code moves}: what it has is to go on elsewhere, as far as it can; {@code unheardFor}: how
 * long ago it was heard of by the clock of the database; {@code self}: it is the one that was asked.
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

    /** One that drains is given nothing more; one that is unheard of has no lease; one that has left is not missed. */
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
