package dev.roost.cluster.files;

import dev.roost.model.RunId;
import dev.roost.sharedfiles.SharedFileName;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/** How far the files of one run are carried. The shipping thread's own, but for what is said to be from any thread. */
final class UploadState {

    final RunId run;
    final int attempt;
    final Path directory;
    /** The lengths its files had when this node began to lead it. */
    final Map<SharedFileName, Long> lengths;
    /** How much of each file the shelf has. */
    final TreeMap<SharedFileName, Long> uploaded = new TreeMap<>();

    final ConcurrentLinkedQueue<PendingFlush> flushes = new ConcurrentLinkedQueue<>(); // from any thread
    boolean claimed;
    volatile boolean released; // nobody adds to it any more

    UploadState(RunId run, int attempt, Path directory, Map<SharedFileName, Long> lengths) {
        this.run = run;
        this.attempt = attempt;
        this.directory = directory;
        this.lengths = Map.copyOf(lengths);
    }

    Path file(SharedFileName name) {
        return directory.resolve(name.text());
    }

    void begin(Map<SharedFileName, Long> there) {
        for (var name : lengths.keySet()) uploaded.put(name, there.getOrDefault(name, 0L));
        claimed = true;
    }

    /** Somebody waits until the shelf has this much. */
    record PendingFlush(Map<SharedFileName, Long> lengths, CompletableFuture<Boolean> done) {}

    void answerFlushes() {
        flushes.removeIf(flush -> {
            boolean done = flush.lengths().entrySet().stream()
                    .allMatch(file -> uploaded.getOrDefault(file.getKey(), 0L) >= file.getValue());
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
