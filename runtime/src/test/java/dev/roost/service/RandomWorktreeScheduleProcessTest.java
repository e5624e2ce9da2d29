package dev.roost.service;

import dev.roost.service.testing.ScheduleRunner;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random schedules of agents in worktrees: no sequence of events loses work. */
class RandomWorktreeScheduleProcessTest {

    private static final int DEFAULT_SCHEDULES = 6;

    private static final int PARALLEL = 3; // the schedules mostly wait

    @TempDir
    Path scratch;

    @Test
    void no_sequence_of_events_loses_work() {
        ScheduleRunner.play(scratch, DEFAULT_SCHEDULES, PARALLEL, RandomWorktreeSchedule::new);
    }
}
