package dev.roost.cluster.files;

import dev.roost.model.RunId;
import dev.roost.node.SharedFileName;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/** How much of a run's files is uploaded. Owned by the upload thread, except for the fields marked otherwise. */
final class UploadState {

    final RunId run;
    final int attempt;
    final Path directory;
    /** The lengths of its files when this node became the writer. */
    final Map<SharedFileName, Long> lengths;
    /** How much of each file is uploaded. */
    final TreeMap<SharedFileName, Long> uploaded = new TreeMap<>();

    final ConcurrentLinkedQueue<PendingFlush> flushes = new ConcurrentLinkedQueue<>(); // from any thread
    boolean claimed;
    volatile boolean released; // from any thread; its files do not grow any more

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

    /** A caller waits until this much is uploaded. */
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
