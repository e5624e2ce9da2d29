package dev.roost.attempt.core;

import dev.roost.model.ProcessId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Grace period after the final report: SIGTERM after 1 s, SIGKILL for the process tree after 2 s. */
final class ExitGrace {

    /** An agent that exits within this time does not count as lingering. */
    private static final Duration LINGERS_AFTER = Duration.ofMillis(100);

    private static final Duration TERMINATE_AFTER = Duration.ofSeconds(1);
    private static final Duration KILL_AFTER = Duration.ofSeconds(2);

    private OptionalLong since = OptionalLong.empty();
    private boolean terminated;

    /** Starts the grace period at the final report. Later output withdraws the report and ends the grace period. */
    void watch(long now, boolean hasFinalReport) {
        if (!hasFinalReport) {
            since = OptionalLong.empty();
            terminated = false;
        } else if (since.isEmpty()) since = OptionalLong.of(now);
    }

    private boolean passed(long now, Duration time) {
        return since.isPresent() && now - since.getAsLong() >= time.toNanos();
    }

    boolean isLingering(long now) {
        return passed(now, LINGERS_AFTER);
    }

    OptionalLong due(long now) {
        if (since.isEmpty()) return OptionalLong.empty();
        var next = !isLingering(now) ? LINGERS_AFTER : !terminated ? TERMINATE_AFTER : KILL_AFTER;
        return OptionalLong.of(since.getAsLong() + next.toNanos());
    }

    List<AttemptAction> next(long now, ProcessId perch, ProcessId agent) {
        var actions = new ArrayList<AttemptAction>();
        if (!terminated && passed(now, TERMINATE_AFTER)) {
            terminated = true;
            actions.add(new AttemptAction.TerminateAgent(agent));
        }
        if (passed(now, KILL_AFTER)) actions.add(new AttemptAction.KillAllBut(perch)); // the perch records the exit
        return actions;
    }
}
