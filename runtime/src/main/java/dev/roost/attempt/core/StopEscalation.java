package dev.roost.attempt.core;

import dev.roost.model.ProcessId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Ends an attempt: SIGTERM to the agent, a grace period for its own children, then SIGKILL to all that is left. */
final class StopEscalation {

    /** Grace period of the agent after SIGTERM. Claude needs three seconds to end its own tools. */
    private static final Duration GRACE = Duration.ofSeconds(8);

    /** Grace period of the perch: to record the exit, or to begin if it has not begun yet. */
    private static final Duration PERCH_GRACE = Duration.ofSeconds(1);

    private OptionalLong dueAt = OptionalLong.empty();
    private boolean askedAgent;
    private boolean killed;

    OptionalLong due() {
        return dueAt;
    }

    /** {@code atOnce}: without a grace period. */
    List<AttemptAction> next(long now, ProcessId perch, Optional<ProcessId> agent, boolean atOnce) {
        var actions = new ArrayList<AttemptAction>();
        if (dueAt.isEmpty()) await(now, PERCH_GRACE);
        if (!askedAgent && agent.isPresent()) {
            askedAgent = true;
            actions.add(new AttemptAction.TerminateAgent(agent.get()));
            await(now, GRACE);
        }
        if (!atOnce && now < dueAt.orElseThrow()) return actions;
        if (!killed) {
            killed = true;
            actions.add(new AttemptAction.KillAllBut(perch));
            await(now, PERCH_GRACE);
        } else {
            actions.add(new AttemptAction.KillPerch(perch));
        }
        return actions;
    }

    private void await(long now, Duration time) {
        dueAt = OptionalLong.of(now + time.toNanos());
    }
}
