package dev.roost.ledger.record;

import dev.roost.model.Owner;
import java.util.List;
import java.util.Locale;

/** A digest put before a parent session: which notices, in which of its turns, and on what occasion. */
public record NoticeOffer(long id, Owner owner, int turn, Occasion occasion, List<NoticeRecord> notices) {

    public enum Occasion {
        START,
        PROMPT,
        TOOLS,
        /** The turn is kept from ending. */
        STOP,
        WAKE;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Occasion of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }

        /** Whether a turn begins with it that nobody asked for. */
        public boolean startsTurn() {
            return this == STOP || this == WAKE;
        }
    }

    /** What tells it from every other, in its text. */
    public String nonce() {
        return "d_" + id;
    }
}
