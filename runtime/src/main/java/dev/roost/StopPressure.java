package dev.roost;

import dev.roost.ledger.Began;
import dev.roost.run.Clock;
import dev.roost.run.ProcessId;
import dev.roost.supervisor.ProcessTree;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** How an attempt is made to end: TERM to the agent, time to end its own children, then KILL to whatever is left. */
final class StopPressure {

    /** How long an agent may take to end by itself once asked; claude needs three seconds to end its own tools. */
    private static final Duration GRACE = Duration.ofSeconds(8);

    /** How long a perch may take to record what happened; and one that has not begun, to begin. */
    private static final Duration PERCH_GRACE = Duration.ofSeconds(1);

    private final Clock clock;
    private final ProcessTree tree;
    private long dueAt;
    private boolean pressing;
    private boolean askedAgent;
    private boolean killed;

    StopPressure(Clock clock, ProcessTree tree) {
        this.clock = clock;
        this.tree = tree;
    }

    OptionalLong due() {
        return pressing ? OptionalLong.of(dueAt) : OptionalLong.empty();
    }

    void press(ProcessId perch, Optional<Began> began, boolean atOnce) {
        if (!pressing) wait(PERCH_GRACE);
        if (!askedAgent && began.isPresent()) {
            askedAgent = true;
            ProcessTree.terminate(began.get().agent());
            wait(GRACE);
        }
        if (!atOnce && clock.monotonicNanos() < dueAt) return;
        if (!killed) {
            killed = true;
            tree.kill(Set.of(perch)); // the perch stays, to record how it ended
            wait(PERCH_GRACE);
        } else {
            ProcessTree.kill(perch);
        }
    }

    private void wait(Duration time) {
        pressing = true;
        dueAt = clock.monotonicNanos() + time.toNanos();
    }
}
