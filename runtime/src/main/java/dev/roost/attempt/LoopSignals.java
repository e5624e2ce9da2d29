package dev.roost.attempt;

import dev.roost.attempt.core.Observation.AttemptOrders;
import dev.roost.model.StopReason;

/** What the actions of an attempt get from its loop, and tell it. */
interface LoopSignals {

    AttemptOrders orders();

    /** The ledger has the stop. */
    void stopRequested(StopReason reason);

    /** Lets the loop take another step soon. */
    void wake();

    /** Logs the error and lets the loop try again after a pause. */
    void recordTrouble(Exception error);

    /** Whether nothing more may be started. */
    default boolean isHalted() {
        return orders().stop().isPresent() || orders().detached();
    }
}
