package dev.roost.daemon.hooks;

import dev.roost.ledger.Offer;
import dev.roost.run.Owner;
import dev.roost.run.ParentEvent;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What one kind of harness calls its events, and how it wants to be answered. */
interface Vocabulary {

    /** Such as {@code claude}. */
    String prefix();

    /** What the event means; empty for one that says nothing of the parent session itself. */
    Optional<ParentEvent> read(String event, JsonNode input);

    /** Whether the session follows one that was just cleared in the same process. */
    default boolean follows(String event, JsonNode input) {
        return false;
    }

    /** Whether a process has one session at a time, so that what it reports last is the session it has. */
    default boolean oneSessionAProcess() {
        return false;
    }

    default Optional<Owner> owner(JsonNode input) {
        return input.path("session_id")
                .asStringOpt()
                .filter(id -> !id.isBlank())
                .map(id -> new Owner(prefix() + ":" + id));
    }

    /** A text in the shape in which the harness puts it before its model. */
    ObjectNode say(String event, Offer.Occasion occasion, String text);
}
