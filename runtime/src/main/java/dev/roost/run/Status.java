package dev.roost.run;

import java.util.Locale;

/** Where a run is, as every surface says it. */
public enum Status {
    QUEUED,
    RUNNING,
    COMPLETED,
    COMPLETED_EMPTY,
    FAILED,
    CANCELED_BY_USER,
    ABANDONED;

    public boolean ended() {
        return this != QUEUED && this != RUNNING;
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Status of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
