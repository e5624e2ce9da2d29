package dev.roost.model;

import java.util.Locale;

/**
 * What can happen to a run: every line of a timeline, and every event of the feed, is one of these. Who writes one names its
 * kind here, so none is without its meaning in the reference.
 */
public enum EventKind {
    SUBMITTED("it was asked for, and is durable from here on; by whom"),
    BROUGHT_IN("`roost rescue --apply` made a run of what another tool had lost"),
    CLAIMED("it was given a slot; in a cluster, on which node"),
    WORKTREE("its worktree was made, found again, brought from another node or removed; or why it lacks something"),
    SETUP("the `setup` of its worktree is done, or failed"),
    BEGAN("its process is there; the pid"),
    PHASE("it is now `working`, `quiet`, `finishing` or `stopping`"),
    ASKED("the agent has a question; its text"),
    MESSAGE("somebody said something to it: a message, an answer, an allowance or a denial; from whom"),
    CHECKPOINT("its work was kept; the ref, and why now"),
    TROUBLE("something about its work failed, while the run itself goes on; what and why"),
    REATTACHED("a daemon came back and found it alive"),
    CLOCK_STEP("the wall clock jumped while it ran; nothing else happened"),
    STOP_REQUESTED("it is to end; who said so, and the cause"),
    STOP_REASON("the reason that came with a stop"),
    LATE_STOP("the reason of a stop that came after the end"),
    ENDED("the attempt is over; status and cause"),
    LATE("something came after the end, and changed nothing"),
    STRAGGLER("a process of it was still there after the end, and was ended"),
    RESUMING("the attempt was lost, and the next one is queued"),
    PARKED("the provider limits its rate; until when it waits for its next attempt"),
    CONTINUED("somebody wrote to the ended run, and its next attempt is queued; who"),
    RESUMED("what the next attempt was told of the interruption"),
    MOVING("its node is emptied: it is stopped there, to go on elsewhere"),
    MOVED("it goes on on another node"),
    OFFERED("a session was given the notice of it, and when; not yet known to have been heard"),
    TOLD("its parent session has heard of it"),
    READ("its owner read the end; it is not unread any more"),
    WAKE("whether its session was woken for it, or the rule that held that back"),
    DELIVERY("a try to send its notice out by `[notify]`; whether it arrived"),
    ADOPTED("another owner has it now; who, and from whom"),
    RESTORED("its kept work was brought back; to where");

    private final String meaning;

    EventKind(String meaning) {
        this.meaning = meaning;
    }

    public String meaning() {
        return meaning;
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether a line of a timeline is of this kind. What an older or newer version wrote may be of none. */
    public boolean is(String word) {
        return word().equals(word);
    }
}
