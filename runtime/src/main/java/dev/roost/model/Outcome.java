package dev.roost.model;

/** How an attempt ended. Only a positive final report of the agent makes it {@link Completed}. */
public sealed interface Outcome {

    record Completed() implements Outcome {}

    record CompletedEmpty() implements Outcome {}

    record Failed(Cause cause) implements Outcome {}

    record Canceled() implements Outcome {}

    record Abandoned(Cause cause) implements Outcome {}

    default Status status() {
        return switch (this) {
            case Completed _ -> Status.COMPLETED;
            case CompletedEmpty _ -> Status.COMPLETED_EMPTY;
            case Failed _ -> Status.FAILED;
            case Canceled _ -> Status.CANCELED_BY_USER;
            case Abandoned _ -> Status.ABANDONED;
        };
    }

    default Cause cause() {
        return switch (this) {
            case Completed _, CompletedEmpty _ -> Cause.FINISHED;
            case Failed(var cause) -> cause;
            case Canceled _ -> Cause.STOPPED;
            case Abandoned(var cause) -> cause;
        };
    }
}
