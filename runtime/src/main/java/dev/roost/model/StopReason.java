package dev.roost.model;

/** Why an attempt is being stopped. It decides the outcome. */
public sealed interface StopReason {

    /** The owner or the operator requested it; {@code requestedBy} is {@code operator} or the owner's id. */
    record UserStop(String requestedBy) implements StopReason {}

    /** The attempt reached one of its caps. */
    record BudgetStop(Cause cap) implements StopReason {}

    default Outcome outcome() {
        return switch (this) {
            case UserStop _ -> new Outcome.Canceled();
            case BudgetStop(var cap) -> new Outcome.Failed(cap);
        };
    }

    default String requestedBy() {
        return switch (this) {
            case UserStop(var actor) -> actor;
            case BudgetStop _ -> "roost";
        };
    }

    default Cause cause() {
        return outcome().cause();
    }

    static StopReason of(Cause cause, String requestedBy) {
        return cause == Cause.STOPPED ? new UserStop(requestedBy) : new BudgetStop(cause);
    }
}
