package dev.roost.model;

import java.util.Locale;

/** A phase refines one of the two live statuses. */
public enum Phase {
    WAITING_FOR_SLOT(Status.QUEUED, "the cap on live runs is reached; slots are given out fairly between owners"),
    PARKED(Status.QUEUED, "the model's provider limits the rate; the run shows when it continues"),
    RESUMING(Status.QUEUED, "the attempt was lost, and the next one is about to start"),
    STARTING(Status.RUNNING, "its worktree and its process are being created"),
    WORKING(Status.RUNNING, "the agent is working"),
    NEEDS_INPUT(Status.RUNNING, "the agent waits for an answer to its question; its time budget does not run"),
    QUIET(Status.RUNNING, "no output for `quiet_after`, no running tool and no child process that uses the CPU"),
    FINISHING(Status.RUNNING, "the agent gave its final report and its process still runs; the result can be read"),
    STOPPING(Status.RUNNING, "a stop was requested, and its processes are being ended");

    private final Status of;
    private final String meaning;

    Phase(Status of, String meaning) {
        this.of = of;
        this.meaning = meaning;
    }

    /** The status that this phase refines. */
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
