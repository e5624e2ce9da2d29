package dev.roost.model;

import java.util.Locale;

/** Refines the two live statuses. */
public enum Phase {
    WAITING_FOR_SLOT(Status.QUEUED, "as many runs are live as may be; its turn comes, fairly between owners"),
    PARKED(Status.QUEUED, "the model's provider limits its rate; it goes on at a time that the run says"),
    RESUMING(Status.QUEUED, "it was lost, and its next attempt is to begin"),
    STARTING(Status.RUNNING, "its worktree and its process are being made"),
    WORKING(Status.RUNNING, "it does something"),
    NEEDS_INPUT(Status.RUNNING, "it has asked, and waits for the answer; its time budget stands still"),
    QUIET(Status.RUNNING, "it has said nothing for `quiet_after`, with no tool at work and no child that computes"),
    FINISHING(Status.RUNNING, "it has said its last word, and its process is still there; the result can be read"),
    STOPPING(Status.RUNNING, "it is to end, and its processes are being ended");

    private final Status of;
    private final String meaning;

    Phase(Status of, String meaning) {
        this.of = of;
        this.meaning = meaning;
    }

    /** The status that it refines. */
    public Status of() {
        return of;
    }

    public String meaning() {
        return meaning;
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Phase of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
