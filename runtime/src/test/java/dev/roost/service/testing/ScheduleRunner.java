package dev.roost.service.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Plays random schedules in parallel; for each broken promise it reports the steps and the seed for a replay. */
public final class ScheduleRunner {

    private ScheduleRunner() {}

    /** A schedule whose seed determines every step, and that logs every step. */
    public interface Day extends AutoCloseable {

        void play() throws Exception;

        List<String> log();

        @Override
        void close();
    }

    public interface Dawn {

        Day begin(long seed, Path directory) throws Exception;
    }

    public static void play(Path scratch, int defaultCount, int parallel, Dawn dawn) {
        Queue<String> broken = new ConcurrentLinkedQueue<>();
        var played = new AtomicInteger();
        try (var threads = Executors.newFixedThreadPool(parallel)) {
            ScheduleSeeds.asked(defaultCount)
                    .forEach(seed -> threads.execute(() -> {
                        play(scratch, seed, dawn, broken);
                        played.incrementAndGet();
                    }));
        }
        assertThat(broken).as("%d schedules were played", played.get()).isEmpty();
        assertThat(played.get()).isPositive();
    }

    private static void play(Path scratch, long seed, Dawn dawn, Queue<String> broken) {
        var log = new StringWriter();
        try {
            var directory = Files.createDirectory(scratch.resolve("s" + seed));
            try (var day = dawn.begin(seed, directory)) {
                try {
                    day.play();
                } catch (Exception | AssertionError e) {
                    day.log().forEach(line -> log.append("  ").append(line).append('\n'));
                    throw e;
                }
            }
        } catch (Exception | AssertionError e) {
            var trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace));
            broken.add(
                    "seed %d broke a promise (replay with -Droost.seed=%d):\n%s%s".formatted(seed, seed, log, trace));
        }
    }
}
