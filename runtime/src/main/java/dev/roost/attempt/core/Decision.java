package dev.roost.attempt.core;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** What to do now, in this order, and what then. */
public record Decision(List<AttemptAction> actions, Continuation then) {

    public sealed interface Continuation {

        /** The actions change what there is to see: observe and decide again at once. */
        record ObserveAgain() implements Continuation {}

        /** Wait for an event, at most until {@code due} by the monotonic clock. */
        record Await(OptionalLong due) implements Continuation {}

        /** The attempt has ended here. */
        record Done() implements Continuation {}
    }

    static Decision again(AttemptAction... actions) {
        return new Decision(List.of(actions), new Continuation.ObserveAgain());
    }

    static Decision await(OptionalLong due, AttemptAction... actions) {
        return new Decision(List.of(actions), new Continuation.Await(due));
    }

    static Decision done() {
        return new Decision(List.of(), new Continuation.Done());
    }

    /** This decision, after {@code first}. */
    Decision after(List<AttemptAction> first) {
        if (first.isEmpty()) return this;
        var all = new ArrayList<>(first);
        all.addAll(actions);
        return new Decision(List.copyOf(all), then);
    }
}
