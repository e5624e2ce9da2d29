package dev.roost.model;

/** An event that a harness reports about an owner session, in the same terms for all harnesses. */
public sealed interface SessionEvent {

    /** The session exists; nothing more is known. */
    record SessionSeen() implements SessionEvent {}

    /** The session began, was resumed, or had its memory compacted. */
    record SessionStarted() implements SessionEvent {}

    /** A turn begins; {@code byUser} is false if Roost's wake began it. */
    record PromptSubmitted(boolean byUser) implements SessionEvent {}

    /** Tool calls finished in the middle of a turn; the model continues. */
    record ToolsFinished() implements SessionEvent {}

    /** The turn ended normally; {@code canGoOn} is false if the session ends with it. */
    record TurnEnded(boolean canGoOn) implements SessionEvent {}

    /** The user interrupted the turn, or it failed. */
    record TurnInterrupted() implements SessionEvent {}

    /** Roost began another turn: it continued an ending turn or woke the session. */
    record TurnContinued() implements SessionEvent {}

    record SessionEnded() implements SessionEvent {}
}
