package dev.roost.house;

import dev.roost.ledger.Began;
import dev.roost.run.Clock;
import dev.roost.run.ProcessId;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** How an attempt is made to end: TERM to the agent, time to end its own children, then KILL to whatever is left. */
final class StopPressure {

    /** How long an agent may take to end by itself once asked; claude needs three seconds to end its own tools. */
    private static final Duration GRACE = Duration.ofSeconds(8);

    /** How long a perch may take to record what happened; and one that has not begun, to begin. */
    private static final Duration PERCH_GRACE = Duration.ofSeconds(1);

    interface Hands {
        /** Asks the agent to end. */
        void terminate(ProcessId agent);

        /** All but the perch, which stays to record how it ended. */
        void killAllBut(ProcessId perch);

        void kill(ProcessId perch);
    }

    private final Clock clock;
    private final Hands hands;
    private long dueAt;
    private boolean pressing;
    private boolean askedAgent;
    private boolean killed;

    StopPressure(Clock clock, Hands hands) {
        this.clock = clock;
        this.hands = hands;
    }

    OptionalLong due() {
        return pressing ? OptionalLong.of(dueAt) : OptionalLong.empty();
    }

    void press(ProcessId perch, Optional<Began> began, boolean atOnce) {
        if (!pressing) wait(PERCH_GRACE);
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
        pressing = true;
        dueAt = clock.monotonicNanos() + time.toNanos();
    }
}
