package dev.roost.ledger;

import java.util.Optional;

/** What somebody said to a live attempt. */
public record Letter(long id, Kind kind, Optional<String> questionId, String body, boolean delivered) {

    /** By which its line is known among those sent. */
    public String key() {
        return "message:" + id;
    }

    public enum Kind {
        WORDS,
        ALLOW,
        DENY,
        ANSWER
    }
}
