package dev.roost.run;

import java.util.Locale;

/** Refines the two live statuses. */
public enum Phase {
    WAITING_FOR_SLOT,
    PARKED,
    RESUMING,
    STARTING,
    WORKING,
    NEEDS_INPUT,
    QUIET,
    FINISHING,
    STOPPING;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Phase of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
