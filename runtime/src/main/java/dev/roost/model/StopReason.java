package dev.roost.model;

/** Why an attempt is being stopped, which decides how its end is called. */
public sealed interface StopReason {

    /** Its owner or the operator asked; {@code who} is {@code operator} or the owner's id. */
    record UserStop(String requestedBy) implements StopReason {}

    /** It reached one of its caps. */
    record BudgetStop(Cause cap) implements StopReason {}

    default Outcome outcome() {
        return switch (this) {
            case UserStop _ -> new Outcome.Canceled();
            case BudgetStop(var cap) -> new Outcome.Failed(cap);
        };
    }

    default String requestedBy() {
        return switch (this) {
            case UserStop(var who) -> who;
            case BudgetStop _ -> "roost";
        };
    }

    default Cause cause() {
        return outcome().cause();
    }

    static StopReason of(Cause cause, String who) {
        return cause == Cause.STOPPED ? new UserStop(who) : new BudgetStop(cause);
    }
}
