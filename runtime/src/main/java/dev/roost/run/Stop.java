package dev.roost.run;

/** Why an attempt is being stopped, which decides how its end is called. */
public sealed interface Stop {

    /** Its owner or the operator asked; {@code who} is {@code operator} or the owner's id. */
    record ByUser(String who) implements Stop {}

    /** It reached one of its caps. */
    record OverBudget(Cause cap) implements Stop {}

    default Outcome outcome() {
        return switch (this) {
            case ByUser _ -> new Outcome.Canceled();
            case OverBudget(var cap) -> new Outcome.Failed(cap);
        };
    }

    default String who() {
        return switch (this) {
            case ByUser(var who) -> who;
            case OverBudget _ -> "roost";
        };
    }

    default Cause cause() {
        return outcome().cause();
    }

    static Stop of(Cause cause, String who) {
        return cause == Cause.STOPPED ? new ByUser(who) : new OverBudget(cause);
    }
}
