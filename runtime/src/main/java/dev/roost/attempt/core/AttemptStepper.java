package dev.roost.attempt.core;

import java.io.IOException;
import java.util.OptionalLong;

/** Takes one step of an attempt: observes, decides and acts until there is nothing to do but wait. */
public final class AttemptStepper {

    /** More rounds than any step needs. */
    private static final int MAX_ROUNDS = 20;

    private final AttemptStateMachine machine;
    private final AttemptActions actions;
    private OptionalLong due = OptionalLong.empty();
    private volatile boolean finished;

    public AttemptStepper(AttemptStateMachine machine, AttemptActions actions) {
        this.machine = machine;
        this.actions = actions;
    }

    public boolean isFinished() {
        return finished;
    }

    /** The next deadline by the monotonic clock, as of the last step. */
    public OptionalLong due() {
        return due;
    }

    /** An error leaves the rest to the next step, which decides anew by what there is then. */
    public void step() throws IOException {
        for (int round = 0; round < MAX_ROUNDS; round++) {
            if (finished) return;
            var decision = machine.next(actions.observe());
            for (var action : decision.actions()) actions.perform(action);
            switch (decision.then()) {
                case Decision.Continuation.ObserveAgain _ -> {}
                case Decision.Continuation.Await(var next) -> {
                    due = next;
                    return;
                }
                case Decision.Continuation.Done _ -> finished = true;
            }
        }
        if (!finished) throw new IllegalStateException("one step took more than %d rounds".formatted(MAX_ROUNDS));
    }
}
