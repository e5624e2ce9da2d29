package dev.roost.attempt;

import dev.roost.base.Clock;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.model.ProcessId;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** Ends an attempt: SIGTERM to the agent, a grace period for its own children, then SIGKILL to all that is left. */
final class StopEscalation {

    /** Grace period of the agent after SIGTERM. Claude needs three seconds to end its own tools. */
    private static final Duration GRACE = Duration.ofSeconds(8);

    /** Grace period of the perch: to record the exit, or to begin if it has not begun yet. */
    private static final Duration PERCH_GRACE = Duration.ofSeconds(1);

    interface ProcessSignals {
        /** Sends SIGTERM to the agent. */
        void terminate(ProcessId agent);

        /** Kills every process but the perch, which stays to record the exit. */
        void killAllBut(ProcessId perch);

        void kill(ProcessId perch);
    }

    private final Clock clock;
    private final ProcessSignals signals;
    private long dueAt;
    private boolean escalating;
    private boolean askedAgent;
    private boolean killed;

    StopEscalation(Clock clock, ProcessSignals signals) {
        this.clock = clock;
        this.signals = signals;
    }

    OptionalLong due() {
        return escalating ? OptionalLong.of(dueAt) : OptionalLong.empty();
    }

    void escalate(ProcessId perch, Optional<StartedProcesses> began, boolean atOnce) {
        if (!escalating) wait(PERCH_GRACE);
        if (!askedAgent && began.isPresent()) {
            askedAgent = true;
            signals.terminate(began.get().agent());
            wait(GRACE);
        }
        if (!atOnce && clock.monotonicNanos() < dueAt) return;
        if (!killed) {
            killed = true;
            signals.killAllBut(perch);
            wait(PERCH_GRACE);
        } else {
            signals.kill(perch);
        }
    }

    private void wait(Duration time) {
        escalating = true;
        dueAt = clock.monotonicNanos() + time.toNanos();
    }
}
