package dev.roost.ledger.record;

import dev.roost.model.Owner;
import java.util.List;
import java.util.Locale;

/** A digest offered to an owner session: its notices, the turn and the occasion. */
public record NoticeOffer(long id, Owner owner, int turn, Occasion occasion, List<NoticeRecord> notices) {

    public enum Occasion {
        START,
        PROMPT,
        TOOLS,
        /** The offer continues a turn that would end. */
        STOP,
        WAKE;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Occasion of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }

        /** Whether the offer starts a turn without a prompt. */
        public boolean startsTurn() {
            return this == STOP || this == WAKE;
        }
    }

    /** The unique id in the offer's text. */
    public String nonce() {
        return "d_" + id;
    }
}
