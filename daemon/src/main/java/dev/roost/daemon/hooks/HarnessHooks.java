package dev.roost.daemon.hooks;

import dev.roost.ledger.record.NoticeOffer;
import dev.roost.model.Owner;
import dev.roost.model.SessionEvent;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The events of one kind of harness, and the format of answers to them. */
interface HarnessHooks {

    /** The prefix of its owners, such as {@code claude}. */
    String prefix();

    /** Translates the event; empty if it says nothing about the owner session itself. */
    Optional<SessionEvent> read(String event, JsonNode input);

    /** Whether the session replaces a session that was just cleared in the same process. */
    default boolean followsClearedSession(String event, JsonNode input) {
        return false;
    }

    /** Whether a process has one session at a time, so that the session it reported last is its present one. */
    default boolean hasOneSessionPerProcess() {
        return false;
    }

    default Optional<Owner> owner(JsonNode input) {
        return input.path("session_id")
                .asStringOpt()
                .filter(id -> !id.isBlank())
                .map(id -> new Owner(prefix() + ":" + id));
    }

    /** Encodes a text so that the harness shows it to its model. */
    ObjectNode encodeText(String event, NoticeOffer.Occasion occasion, String text);
}
