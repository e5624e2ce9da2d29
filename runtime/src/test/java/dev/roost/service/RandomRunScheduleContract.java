package dev.roost.service;

import dev.roost.service.testing.RandomRunSchedule;
import dev.roost.service.testing.RoostOpener;
import dev.roost.service.testing.ScheduleRunner;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random days with real processes: whatever happens, in whatever order, every promise holds at every step, on every ledger. */
public abstract class RandomRunScheduleContract {

    private static final int AT_ONCE = 4; // mostly they wait

    @TempDir
    Path scratch;

    /** Whether {@code -Droost.full=true} asks for more of them. */
    protected static final boolean FULL = Boolean.getBoolean("roost.full");

    /** How many are played where nobody asks for a number. */
    protected abstract int usually();

    /** A ledger that nobody has used yet, for one day. */
    protected abstract RoostOpener newLedger();

    @Test
    protected void no_sequence_of_events_breaks_a_promise() {
        ScheduleRunner.play(
                scratch, usually(), AT_ONCE, (seed, directory) -> new RandomRunSchedule(seed, directory, newLedger()));
    }
}
