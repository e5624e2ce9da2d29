package dev.roost.ledger;

import dev.roost.run.Owner;
import java.util.List;
import java.util.Locale;

/** A digest put before a parent session: which notices, in which of its turns, and on what occasion. */
public record Offer(long id, Owner owner, int turn, Occasion occasion, List<Notice> notices) {

    public enum Occasion {
        START,
        PROMPT,
        TOOLS,
        /** The turn is kept from ending. */
        STOP,
        WAKE;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Occasion of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }

        /** Whether a turn begins with it that nobody asked for. */
        public boolean begins() {
            return this == STOP || this == WAKE;
        }
    }

    /** What tells it from every other, in its text. */
    public String nonce() {
        return "d_" + id;
    }
}
