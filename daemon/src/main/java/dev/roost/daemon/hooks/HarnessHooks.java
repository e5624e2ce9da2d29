package dev.roost.daemon.hooks;

import dev.roost.ledger.record.NoticeOffer;
import dev.roost.model.Owner;
import dev.roost.model.SessionEvent;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What one kind of harness calls its events, and how it wants to be answered. */
interface HarnessHooks {

    /** Such as {@code claude}. */
    String prefix();

    /** What the event means; empty for one that says nothing of the parent session itself. */
    Optional<SessionEvent> read(String event, JsonNode input);

    /** Whether the session follows one that was just cleared in the same process. */
    default boolean followsClearedSession(String event, JsonNode input) {
        return false;
    }

    /** Whether a process has one session at a time, so that what it reports last is the session it has. */
    default boolean hasOneSessionPerProcess() {
        return false;
    }

    default Optional<Owner> owner(JsonNode input) {
        return input.path("session_id")
                .asStringOpt()
                .filter(id -> !id.isBlank())
                .map(id -> new Owner(prefix() + ":" + id));
    }

    /** A text in the shape in which the harness puts it before its model. */
    ObjectNode encodeText(String event, NoticeOffer.Occasion occasion, String text);
}
