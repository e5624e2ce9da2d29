package dev.roost.attempt;

import dev.roost.base.Clock;
import dev.roost.model.ProcessId;
import dev.roost.process.ProcessTree;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Set;

/** Grace period after the final report: SIGTERM after 1 s, SIGKILL for the process tree after 2 s. */
final class ExitGrace {

    /** An agent that exits within this time does not count as lingering. */
    private static final Duration LINGERS_AFTER = Duration.ofMillis(100);

    private static final Duration TERMINATE_AFTER = Duration.ofSeconds(1);
    private static final Duration KILL_AFTER = Duration.ofSeconds(2);

    private final Clock clock;
    private final ProcessTree tree;
    private long since = -1;
    private boolean terminated;

    ExitGrace(Clock clock, ProcessTree tree) {
        this.clock = clock;
        this.tree = tree;
    }

    /** Starts the grace period at the final report. Later output withdraws the report and ends the grace period. */
    void watch(boolean hasFinalReport) {
        if (!hasFinalReport) {
            since = -1;
            terminated = false;
        } else if (since < 0) since = clock.monotonicNanos();
    }

    private boolean passed(Duration time) {
        return since >= 0 && clock.monotonicNanos() - since >= time.toNanos();
    }

    boolean isLingering() {
        return passed(LINGERS_AFTER);
    }

    OptionalLong due() {
        if (since < 0) return OptionalLong.empty();
        var next = !isLingering() ? LINGERS_AFTER : !terminated ? TERMINATE_AFTER : KILL_AFTER;
        return OptionalLong.of(since + next.toNanos());
    }

    void escalate(ProcessId perch, ProcessId agent) {
        if (!terminated && passed(TERMINATE_AFTER)) {
            terminated = true;
            ProcessTree.terminate(agent);
        }
        if (passed(KILL_AFTER)) tree.kill(Set.of(perch)); // the perch stays to record the exit
    }
}
