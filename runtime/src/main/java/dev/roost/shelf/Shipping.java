package dev.roost.shelf;

import dev.roost.run.RunId;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/** Carries the growing files of runs that this node leads to where other nodes find them. */
public interface Shipping {

    /**
     * This node leads the run from now on; its files have these lengths, and nothing is added to them before this returns. It
     * does not wait for the shelf: what that has beyond, from a daemon whose last words were not confirmed, is cut off before
     * anything else is sent.
     */
    void lead(RunId run, int attempt, Map<ShelfName, Long> lengths) throws IOException;

    /** Something was added to a file of the run. Costs next to nothing; from any thread. */
    void grew(RunId run);

    /** Waits until what the files hold now is on the shelf; false if it is not, because of the time or of a later attempt. */
    boolean flush(RunId run, Duration within) throws InterruptedException;

    /** This node does not lead the run any more; what was not flushed stays here. */
    void leave(RunId run);

    /** Where all files are at home anyway. */
    static Shipping none() {
        return new Shipping() {
            @Override
            public void lead(RunId run, int attempt, Map<ShelfName, Long> lengths) {}

            @Override
            public void grew(RunId run) {}

            @Override
            public boolean flush(RunId run, Duration within) {
                return true;
            }

            @Override
            public void leave(RunId run) {}
        };
    }
}
