package dev.roost.model;

import java.util.Locale;

/** The status of a run, as every surface shows it. */
public enum Status {
    QUEUED("accepted and durable; it waits for a slot, for a time, or for its next attempt to start"),
    RUNNING("an attempt is alive on its perch"),
    COMPLETED("the agent reported success with a result"),
    COMPLETED_EMPTY("the agent reported success without a result"),
    FAILED("it ended without success; the cause says why"),
    CANCELED_BY_USER("its owner or the operator stopped it"),
    ABANDONED("it was lost, and was not or could not be resumed");

    private final String meaning;

    Status(String meaning) {
        this.meaning = meaning;
    }

    public String meaning() {
        return meaning;
    }

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
