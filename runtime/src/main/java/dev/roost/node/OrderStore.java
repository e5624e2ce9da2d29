package dev.roost.node;

import dev.roost.agents.AttemptJob;
import dev.roost.model.RunId;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;

/** The orders of attempts, from which the node that starts an attempt has its files. */
public interface OrderStore {

    /**
     * Stores the order of an attempt, before it is queued. Refused if no node can execute it. {@code job}: the attempt as a job on
     * this machine.
     */
    void put(RunId run, int attempt, AttemptOrder order, Supplier<AttemptJob> job) throws IOException;

    /** Called by the submitter once the attempt is queued, or will never be. */
    default void discard(RunId run, int attempt) {}

    boolean has(RunId run, int attempt);

    /** The stored order of an attempt. */
    Optional<AttemptOrder> get(RunId run, int attempt) throws IOException;
}
