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

/** Random days with real processes: whatever happens, in whatever order, every promise holds at every step, on every ledger. */
public abstract class ScheduleContract {

    private static final int AT_ONCE = 4; // mostly they wait

    @TempDir
    Path scratch;

    /** How many are played where nobody asks for more. */
    protected abstract int usually();

    /** A ledger that nobody has used yet, for one day. */
    protected abstract Opening newLedger();

    @Test
    protected void no_order_of_events_breaks_a_promise() {
        Queue<String> broken = new ConcurrentLinkedQueue<>();
        var played = new AtomicInteger();
        try (var lanes = Executors.newFixedThreadPool(AT_ONCE)) {
            Seeds.asked(usually())
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
            var directory = Files.createDirectory(scratch.resolve("s" + seed));
            try (var schedule = new Schedule(seed, directory, newLedger())) {
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
            broken.add(
                    "seed %d broke a promise (replay with -Droost.seed=%d):\n%s%s".formatted(seed, seed, diary, trace));
        }
    }
}
