package dev.roost.cluster;

import dev.roost.run.RunId;
import dev.roost.shelf.ShelfName;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/** How far the files of one run are carried. The shipping thread's own, but for what is said to be from any thread. */
final class ShippedRun {

    final RunId run;
    final int attempt;
    final Path directory;
    /** The lengths its files had when this node began to lead it. */
    final Map<ShelfName, Long> lengths;
    /** How much of each file the shelf has. */
    final TreeMap<ShelfName, Long> shipped = new TreeMap<>();

    final ConcurrentLinkedQueue<Flush> flushes = new ConcurrentLinkedQueue<>(); // from any thread
    boolean taken;
    volatile boolean left; // nobody adds to it any more

    ShippedRun(RunId run, int attempt, Path directory, Map<ShelfName, Long> lengths) {
        this.run = run;
        this.attempt = attempt;
        this.directory = directory;
        this.lengths = Map.copyOf(lengths);
    }

    Path file(ShelfName name) {
        return directory.resolve(name.text());
    }

    void begin(Map<ShelfName, Long> there) {
        for (var name : lengths.keySet()) shipped.put(name, there.getOrDefault(name, 0L));
        taken = true;
    }

    /** Somebody waits until the shelf has this much. */
    record Flush(Map<ShelfName, Long> lengths, CompletableFuture<Boolean> done) {}

    void answerFlushes() {
        flushes.removeIf(flush -> {
            boolean done = flush.lengths().entrySet().stream()
                    .allMatch(file -> shipped.getOrDefault(file.getKey(), 0L) >= file.getValue());
            if (done) flush.done().complete(true);
            return done;
        });
    }

    void giveUp() {
        flushes.removeIf(flush -> {
            flush.done().complete(false);
            return true;
        });
    }
}
