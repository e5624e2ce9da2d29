package dev.roost.checks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;

/**
 * Runs the tests of all modules in one queue, the longest class first. The working directory is the root of the checkout;
 * {@code --times} records the duration of each class; any other word is a glob for simple names of classes. Properties that
 * begin with {@code roost.} are passed on to the tests.
 */
public final class CheckMain {

    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final Duration FULL_LIMIT = Duration.ofHours(2);

    private CheckMain() {}

    public static void main(String[] arguments) throws IOException {
        var globs = new ArrayList<>(List.of(arguments));
        boolean times = globs.remove("--times");
        var root = Path.of("").toAbsolutePath();
        boolean full = Boolean.getBoolean("roost.full");
        var limit = Duration.ofSeconds(Long.getLong("checks.limit", (full ? FULL_LIMIT : LIMIT).toSeconds()));
        int forks = Integer.getInteger("checks.forks", 2 * Runtime.getRuntime().availableProcessors());
        var durations = Durations.read(root.resolve("checks/seconds.tsv"));

        var entries = CheckEntries.find(root, full, globs).stream()
                .sorted(Comparator.comparingDouble(durations::of).reversed())
                .toList();
        var output = root.resolve("target/check");
        Files.createDirectories(output);
        var progress = new Progress(entries.size(), root, System.out);
        try (var pool =
                new WorkerPool(new WorkerSettings(root, System.getProperty("java.class.path")), output, 4 * forks)) {
            try (var threads = Executors.newFixedThreadPool(forks)) {
                for (var entry : entries)
                    if (!entry.alone()) threads.execute(() -> progress.ended(run(pool, entry, limit)));
            }
            for (var entry : entries) if (entry.alone()) progress.ended(run(pool, entry, limit));
            progress.jvms(pool.count());
        }
        progress.writeCases(output.resolve("cases.tsv"));
        if (times) durations.record(progress.results(), globs.isEmpty());
        System.exit(progress.sum() ? 0 : 1);
    }

    private static ClassResult run(WorkerPool pool, CheckEntry entry, Duration limit) {
        try {
            return pool.run(entry, limit);
        } catch (IOException | RuntimeException e) {
            var failure = new CaseResult(CaseResult.Ending.FAILED, "outside of its tests", 0, e.toString());
            return new ClassResult(entry, List.of(failure), 0, 0, Optional.empty());
        }
    }
}
