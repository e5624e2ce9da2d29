package dev.roost.service;

import dev.roost.service.testing.ScheduleRunner;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random days of agents in worktrees: whatever happens, in whatever order, no work is thrown away. */
class RandomWorktreeScheduleProcessTest {

    private static final int USUALLY = 6;

    private static final int AT_ONCE = 3; // mostly they wait

    @TempDir
    Path scratch;

    @Test
    void no_sequence_of_events_loses_work() {
        ScheduleRunner.play(scratch, USUALLY, AT_ONCE, RandomWorktreeSchedule::new);
    }
}
