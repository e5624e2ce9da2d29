package dev.roost.run;

/** What a harness reports of a parent session, in one vocabulary for all of them. */
public sealed interface ParentEvent {

    /** It is there; nothing more is known. */
    record Seen() implements ParentEvent {}

    /** The session began, was resumed, or had its memory compacted. */
    record Started() implements ParentEvent {}

    /** A turn begins; {@code byUser} is false where our own wake-up call began it. */
    record Prompted(boolean byUser) implements ParentEvent {}

    /** In the middle of a turn, between tool calls: the model goes on. */
    record ToolsDone() implements ParentEvent {}

    /** The turn ended as it should; {@code canGoOn} is false where the session ends with it. */
    record TurnEnded(boolean canGoOn) implements ParentEvent {}

    /** The user broke the turn off, or it failed. */
    record Interrupted() implements ParentEvent {}

    /** Another turn begins that nobody asked for: we kept it from ending, or woke it. */
    record Continued() implements ParentEvent {}

    record Ended() implements ParentEvent {}
}
