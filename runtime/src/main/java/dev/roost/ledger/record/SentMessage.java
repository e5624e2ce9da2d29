package dev.roost.ledger.record;

import java.util.Optional;

/** What somebody said to a live attempt. */
public record SentMessage(long id, MessageKind kind, Optional<String> questionId, String body, boolean delivered) {

    /** By which its line is known among those sent. */
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
