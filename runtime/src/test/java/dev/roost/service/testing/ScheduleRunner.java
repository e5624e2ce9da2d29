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

/** Plays random days, some of them at once; of each that broke a promise it tells what happened and how to play it again. */
public final class ScheduleRunner {

    private ScheduleRunner() {}

    /** All that happens on it follows from its seed, and is written down. */
    public interface Day extends AutoCloseable {

        void play() throws Exception;

        List<String> diary();

        @Override
        void close();
    }

    public interface Dawn {

        Day begin(long seed, Path directory) throws Exception;
    }

    public static void play(Path scratch, int usually, int atOnce, Dawn dawn) {
        Queue<String> broken = new ConcurrentLinkedQueue<>();
        var played = new AtomicInteger();
        try (var lanes = Executors.newFixedThreadPool(atOnce)) {
            ScheduleSeeds.asked(usually)
                    .forEach(seed -> lanes.execute(() -> {
                        play(scratch, seed, dawn, broken);
                        played.incrementAndGet();
                    }));
        }
        assertThat(broken).as("%d days were played", played.get()).isEmpty();
        assertThat(played.get()).isPositive();
    }

    private static void play(Path scratch, long seed, Dawn dawn, Queue<String> broken) {
        var diary = new StringWriter();
        try {
            var directory = Files.createDirectory(scratch.resolve("s" + seed));
            try (var day = dawn.begin(seed, directory)) {
                try {
                    day.play();
                } catch (Exception | AssertionError e) {
                    day.diary().forEach(line -> diary.append("  ").append(line).append('\n'));
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
