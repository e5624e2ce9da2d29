package dev.roost.ledger.record;

import java.time.Instant;
import java.util.Optional;

/**
 * The delivery of a notice by a channel: the number of tries, the time of the next one, the time of the first failure, and
 * the node that sends it.
 */
public record Delivery(
        NoticeRecord notice, String channel, int tries, Instant dueAt, Optional<Instant> failingSince, String node) {

    /** An id that is the same for every try and globally unique, so that receivers can drop duplicates. */
    public String id() {
        return notice.key();
    }
}
