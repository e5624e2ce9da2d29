package dev.roost.service;

import dev.roost.service.testing.RandomRunSchedule;
import dev.roost.service.testing.RoostOpener;
import dev.roost.service.testing.ScheduleRunner;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random schedules with real processes: every promise holds at every step, in any order of events, on every ledger. */
public abstract class RandomRunScheduleContract {

    private static final int PARALLEL = 4; // the schedules mostly wait

    @TempDir
    Path scratch;

    /** Whether {@code -Droost.full=true} requests more schedules. */
    protected static final boolean FULL = Boolean.getBoolean("roost.full");

    /** The number of schedules if {@code -Droost.schedules} is not set. */
    protected abstract int usually();

    /** A new, empty ledger for one schedule. */
    protected abstract RoostOpener newLedger();

    @Test
    protected void no_sequence_of_events_breaks_a_promise() {
        ScheduleRunner.play(
                scratch, usually(), PARALLEL, (seed, directory) -> new RandomRunSchedule(seed, directory, newLedger()));
    }
}
