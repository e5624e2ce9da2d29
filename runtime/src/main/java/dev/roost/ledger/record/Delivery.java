package dev.roost.ledger.record;

import java.time.Instant;
import java.util.Optional;

/**
 * A notice on its way out by a channel: how often that was tried, when it is next, since when it fails, and which node is to
 * send it.
 */
public record Delivery(
        NoticeRecord notice, String channel, int tries, Instant dueAt, Optional<Instant> failingSince, String node) {

    /** The same in every try, and in no other home: by this who receives it can tell what he has. */
    public String id() {
        return notice.key();
    }
}
