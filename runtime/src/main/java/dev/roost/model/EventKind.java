package dev.roost.model;

import java.util.Locale;

/**
 * The kinds of events of a run, on its timeline and in the feed. Every event that Roost writes has a kind from this list, so
 * the reference explains all of them.
 */
public enum EventKind {
    SUBMITTED("the run was submitted and is durable; the submitter"),
    BROUGHT_IN("`roost rescue --apply` imported an agent that another tool had lost"),
    CLAIMED("the run got a slot; in a cluster, the node"),
    WORKTREE(
            "the worktree was created, found again, transferred from another node or removed; or why a part is missing"),
    SETUP("the `setup` of the worktree is done, or failed"),
    BEGAN("the agent's process started; the pid"),
    PHASE("the phase changed to `working`, `quiet`, `finishing` or `stopping`"),
    ASKED("the agent has a question; its text"),
    MESSAGE("the run received a message, an answer, an allowance or a denial; the sender"),
    CHECKPOINT("a checkpoint of the worktree was made; the ref and the reason"),
    TROUBLE("an operation on the worktree failed and the run continues; what failed and why"),
    REATTACHED("a daemon started again and found the attempt alive"),
    CLOCK_STEP("the wall clock jumped during the attempt; nothing else changed"),
    STOP_REQUESTED("a stop was requested; by which owner or operator, and the cause"),
    STOP_REASON("the reason that was given with a stop"),
    LATE_STOP("the reason of a stop that came after the end"),
    ENDED("the attempt ended; status and cause"),
    LATE("an event came after the end and changed nothing"),
    STRAGGLER("a process of the attempt was found after its end and was killed"),
    RESUMING("the attempt was lost, and the next one is queued"),
    PARKED("the provider limits the rate; the time until which the next attempt waits"),
    CONTINUED("a message continued the ended run, and the next attempt is queued; the sender"),
    RESUMED("what the next attempt was told about the interruption"),
    MOVING("the node is being drained: the attempt is stopped there and continues on another node"),
    MOVED("the run continues on another node"),
    OFFERED("the notice was offered to a session, and on which occasion; the session has not acknowledged it yet"),
    TOLD("the owner session acknowledged the notice"),
    READ("its owner read the end; it is no longer unread"),
    WAKE("whether the owner session was woken for the notice, or the rule that prevented it"),
    DELIVERY("an attempt to deliver the notice by `[notify]`; whether it arrived"),
    ADOPTED("the run got another owner; the new and the old one"),
    RESTORED("the run's kept work was restored; the directory");

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

    /** Whether the word of a timeline event means this kind. An event of another version may have an unknown kind. */
    public boolean is(String word) {
        return word().equals(word);
    }
}
