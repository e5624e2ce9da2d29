package dev.roost.model;

/** What a harness reports of a parent session, in one vocabulary for all of them. */
public sealed interface SessionEvent {

    /** It is there; nothing more is known. */
    record SessionSeen() implements SessionEvent {}

    /** The session began, was resumed, or had its memory compacted. */
    record SessionStarted() implements SessionEvent {}

    /** A turn begins; {@code byUser} is false where our own wake-up call began it. */
    record PromptSubmitted(boolean byUser) implements SessionEvent {}

    /** In the middle of a turn, between tool calls: the model goes on. */
    record ToolsFinished() implements SessionEvent {}

    /** The turn ended as it should; {@code canGoOn} is false where the session ends with it. */
    record TurnEnded(boolean canGoOn) implements SessionEvent {}

    /** The user broke the turn off, or it failed. */
    record TurnInterrupted() implements SessionEvent {}

    /** Another turn begins that nobody asked for: we kept it from ending, or woke it. */
    record TurnContinued() implements SessionEvent {}

    record SessionEnded() implements SessionEvent {}
}
