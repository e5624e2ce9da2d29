package dev.roost.ledger.record;

import java.util.Optional;

/** A message to a live attempt. */
public record SentMessage(long id, MessageKind kind, Optional<String> questionId, String body, boolean delivered) {

    /** The key of the message's input line. */
    public String key() {
        return "message:" + id;
    }

    public enum MessageKind {
        WORDS,
        ALLOW,
        DENY,
        ANSWER
    }
}
