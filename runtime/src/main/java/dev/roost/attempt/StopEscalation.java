package dev.roost.attempt;

import dev.roost.base.Clock;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.model.ProcessId;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** How an attempt is made to end: TERM to the agent, time to end its own children, then KILL to whatever is left. */
final class StopEscalation {

    /** How long an agent may take to end by itself once asked; claude needs three seconds to end its own tools. */
    private static final Duration GRACE = Duration.ofSeconds(8);

    /** How long a perch may take to record what happened; and one that has not begun, to begin. */
    private static final Duration PERCH_GRACE = Duration.ofSeconds(1);

    interface ProcessSignals {
        /** Asks the agent to end. */
        void terminate(ProcessId agent);

        /** All but the perch, which stays to record how it ended. */
        void killAllBut(ProcessId perch);

        void kill(ProcessId perch);
    }

    private final Clock clock;
    private final ProcessSignals hands;
    private long dueAt;
    private boolean escalating;
    private boolean askedAgent;
    private boolean killed;

    StopEscalation(Clock clock, ProcessSignals hands) {
        this.clock = clock;
        this.hands = hands;
    }

    OptionalLong due() {
        return escalating ? OptionalLong.of(dueAt) : OptionalLong.empty();
    }

    void escalate(ProcessId perch, Optional<StartedProcesses> began, boolean atOnce) {
        if (!escalating) wait(PERCH_GRACE);
        if (!askedAgent && began.isPresent()) {
            askedAgent = true;
            hands.terminate(began.get().agent());
            wait(GRACE);
        }
        if (!atOnce && clock.monotonicNanos() < dueAt) return;
        if (!killed) {
            killed = true;
            hands.killAllBut(perch);
            wait(PERCH_GRACE);
        } else {
            hands.kill(perch);
        }
    }

    private void wait(Duration time) {
        escalating = true;
        dueAt = clock.monotonicNanos() + time.toNanos();
    }
}
