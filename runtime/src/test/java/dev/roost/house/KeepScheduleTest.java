package dev.roost.house;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random days of agents in worktrees: whatever happens, in whatever order, no work is thrown away. */
class KeepScheduleTest {

    private static final int USUALLY = 6;

    private static final int AT_ONCE = 3; // mostly they wait

    @TempDir
    Path scratch;

    @Test
    void no_order_of_events_loses_work() {
        Days.play(scratch, USUALLY, AT_ONCE, KeepSchedule::new);
    }
}
