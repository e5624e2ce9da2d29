package dev.roost.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
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
        Queue<String> broken = new ConcurrentLinkedQueue<>();
        var played = new AtomicInteger();
        try (var lanes = Executors.newFixedThreadPool(AT_ONCE)) {
            Seeds.asked(USUALLY)
                    .forEach(seed -> lanes.execute(() -> {
                        play(seed, broken);
                        played.incrementAndGet();
                    }));
        }
        assertThat(broken).as("%d schedules were played", played.get()).isEmpty();
        assertThat(played.get()).isPositive();
    }

    private void play(long seed, Queue<String> broken) {
        var diary = new StringWriter();
        try {
            var directory = Files.createDirectory(scratch.resolve("k" + seed));
            try (var schedule = new KeepSchedule(seed, directory)) {
                try {
                    schedule.play();
                } catch (Exception | AssertionError e) {
                    schedule.diary()
                            .forEach(line -> diary.append("  ").append(line).append('\n'));
                    throw e;
                }
            }
        } catch (Exception | AssertionError e) {
            var trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace));
            broken.add("seed %d lost work (replay with -Droost.seed=%d):\n%s%s".formatted(seed, seed, diary, trace));
        }
    }
}
