package dev.roost.cluster.files;

import dev.roost.base.Broken;
import dev.roost.base.Clock;
import dev.roost.home.Home;
import dev.roost.home.PrivateFiles;
import dev.roost.model.RunId;
import dev.roost.node.SharedFileName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One thread that uploads appended bytes to the shared files, many runs in one commit. It buffers nothing: it reads from the
 * files when a run's turn comes, so that a slow or unavailable database causes lag, but uses no memory.
 */
public final class FileUploader implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(FileUploader.class.getName());

    private static final Duration INTERVAL = Duration.ofMillis(500);
    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);
    private static final int ROUND = 4 << 20;
    private static final int SHARE = 1 << 18;
    private static final int MOST_RUNS = 200;

    private final PostgresFileStore store;
    private final Home home;
    private final Map<RunId, UploadState> writing = new ConcurrentHashMap<>();
    private final UploadQueue queue;
    private final Thread thread;
    private boolean failing; // and logged

    public FileUploader(PostgresFileStore store, Home home, Clock clock) {
        this.store = store;
        this.home = home;
        this.queue = new UploadQueue(clock, INTERVAL);
        this.thread = Thread.ofPlatform().daemon().name("roost-shipper").start(this::loop);
    }

    /**
     * Makes this node the writer of the run. The files have these lengths and must not grow before this returns. It does not wait
     * for the database. Bytes beyond these lengths, from a daemon whose last appends were not confirmed, are truncated before
     * anything else is sent. The lengths are written to a file first: if this daemon dies before the database has them, its
     * successor may start at greater lengths and must still truncate at these.
     */
    public synchronized void becomeWriter(RunId run, int attempt, Map<SharedFileName, Long> lengths)
            throws IOException {
        var directory = home.run(run).path();
        var notes = SharedFileNumbers.confirmed(directory);
        var agreed = new HashMap<>(lengths);
        agreed.replaceAll((name, length) -> Math.min(length, notes.get(name).orElse(length)));
        notes.put(agreed);
        var before = writing.put(run, new UploadState(run, attempt, directory, agreed));
        if (before != null) before.giveUp();
        queue.outputGrew(run);
    }

    private synchronized void confirmed(UploadState run, Map<SharedFileName, Long> there) {
        run.begin(there);
        if (writing.get(run.run) != run) return; // became the writer again: those lengths are not confirmed
        try {
            SharedFileNumbers.confirmed(run.directory).forget();
        } catch (IOException e) { // harmless: the next daemon sends a little more than it must
            LOG.log(System.Logger.Level.DEBUG, run.run + ": the file of confirmed lengths cannot be removed", e);
        }
    }

    /** Whether this node writes the run's shared files. */
    boolean isWriter(RunId run) {
        return writing.containsKey(run);
    }

    /** A file of the run grew. Cheap, and may be called by any thread. */
    public void outputGrew(RunId run) {
        if (writing.containsKey(run)) queue.outputGrew(run);
    }

    /** Waits until the shared files have the present content; false after a timeout, or if a later attempt is the writer. */
    public boolean flush(RunId run, Duration within) throws InterruptedException {
        var state = writing.get(run);
        if (state == null) return false;
        var done = new CompletableFuture<Boolean>();
        try {
            var lengths = new HashMap<SharedFileName, Long>();
            for (var name : state.lengths.keySet()) lengths.put(name, PrivateFiles.size(state.file(name)));
            state.flushes.add(new UploadState.PendingFlush(lengths, done));
            queue.prioritize(run);
            if (writing.get(run) != state) state.giveUp(); // released or fenced meanwhile
            return done.get(within.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return false;
        } catch (IOException | ExecutionException e) {
            LOG.log(System.Logger.Level.WARNING, run + ": its files cannot be read", e);
            return false;
        } finally {
            done.complete(false); // the caller waits no longer
            state.flushes.removeIf(flush -> flush.done().isDone());
        }
    }

    /** This node is no longer the writer of the run; the missing bytes are still sent. */
    public void stopWriting(RunId run) {
        var left = writing.get(run);
        if (left == null) return;
        left.released = true;
        queue.prioritize(run);
    }

    private void loop() {
        while (true) {
            List<RunId> next;
            try {
                next = queue.next(MOST_RUNS);
            } catch (InterruptedException e) {
                continue; // never interrupted; it ends when the queue is closed
            }
            if (next.isEmpty()) return;
            try {
                queue.requeue(sendRound(next));
                if (failing) LOG.log(System.Logger.Level.INFO, "output is uploaded again");
                failing = false;
            } catch (RuntimeException e) { // the thread must survive
                logOnce(e);
                queue.pause(RETRY_DELAY);
                queue.requeue(next);
            }
        }
    }

    private void logOnce(RuntimeException e) {
        if (failing) return;
        failing = true;
        if (e instanceof Broken known)
            LOG.log(System.Logger.Level.WARNING, "output is not uploaded yet and is retried. " + known.sentence());
        else LOG.log(System.Logger.Level.ERROR, "output could not be uploaded; it is retried", e);
    }

    /** Sends a share of each run; returns the runs that have more. */
    private Set<RunId> sendRound(List<RunId> next) {
        var pieces = new ArrayList<FileChunk>();
        var sent = new ArrayList<UploadState>();
        var more = new LinkedHashSet<RunId>();
        claimWriting(next);
        int share = Math.max(SHARE, ROUND / next.size());
        int left = ROUND;
        for (var run : next) {
            var state = writing.get(run);
            if (state == null) continue;
            if (left <= 0 || !state.claimed) {
                more.add(run);
                continue;
            }
            var own = read(state, share);
            if (own.isEmpty()) state.answerFlushes();
            if (own.isEmpty() && state.released) done(state);
            int size = own.stream().mapToInt(piece -> piece.bytes().length).sum();
            if (size == share) more.add(run);
            left -= size;
            for (var piece : own) {
                pieces.add(piece);
                sent.add(state);
            }
        }
        var answers = store.append(pieces);
        for (int i = 0; i < answers.size(); i++) {
            if (handleResult(sent.get(i), pieces.get(i).name(), answers.get(i)) || sent.get(i).released)
                more.add(sent.get(i).run);
        }
        sent.forEach(UploadState::answerFlushes);
        return more;
    }

    /** Claims the runs that this node has just begun to write, before it sends any of their bytes. */
    private void claimWriting(List<RunId> next) {
        var fresh = next.stream()
                .flatMap(run -> Optional.ofNullable(writing.get(run)).stream())
                .filter(run -> !run.claimed)
                .toList();
        var answers = store.claimWriting(fresh.stream()
                .map(run -> new WriterClaim(run.run, run.attempt, run.lengths))
                .toList());
        for (int i = 0; i < answers.size(); i++) {
            var run = fresh.get(i);
            answers.get(i).ifPresentOrElse(there -> confirmed(run, there), () -> fenced(run));
        }
    }

    /** Reads the new bytes of its files, up to its share. */
    private List<FileChunk> read(UploadState run, int share) {
        var pieces = new ArrayList<FileChunk>();
        int left = share;
        for (var file : run.uploaded.entrySet()) {
            if (left == 0) break;
            try {
                var bytes = read(run.file(file.getKey()), file.getValue(), left);
                if (bytes.length == 0) continue;
                left -= bytes.length;
                pieces.add(new FileChunk(run.run, run.attempt, file.getKey(), file.getValue(), bytes));
            } catch (IOException e) {
                LOG.log(System.Logger.Level.WARNING, "%s of %s cannot be read".formatted(file.getKey(), run.run), e);
                queue.outputGrew(run.run); // later
            }
        }
        return pieces;
    }

    private static byte[] read(Path file, long from, int most) throws IOException {
        if (!PrivateFiles.exists(file)) return new byte[0]; // not created yet, or removed by hand
        try (var channel = PrivateFiles.open(file, StandardOpenOption.READ)) {
            int size = Math.clamp(channel.size() - from, 0, most);
            var bytes = ByteBuffer.allocate(size);
            while (bytes.hasRemaining() && channel.read(bytes, from + bytes.position()) > 0) {
                // until full, or the file is shorter than it was
            }
            return bytes.hasRemaining() ? Arrays.copyOf(bytes.array(), bytes.position()) : bytes.array();
        } catch (NoSuchFileException e) {
            return new byte[0];
        }
    }

    /** True if the chunk must be sent again. */
    private boolean handleResult(UploadState run, SharedFileName name, ChunkResult chunkResult) {
        return switch (chunkResult) {
            case ChunkResult.Stored(var length) -> {
                run.uploaded.put(name, length);
                yield false;
            }
            case ChunkResult.MissingBytes(var length) -> {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "the shared files have lost bytes of %s of %s".formatted(name, run.run));
                run.uploaded.put(name, length);
                yield true;
            }
            case ChunkResult.SupersededWriter() -> {
                fenced(run);
                yield false;
            }
        };
    }

    private void fenced(UploadState run) {
        LOG.log(
                System.Logger.Level.INFO,
                "%s/%d: a later attempt is the writer of its files".formatted(run.run, run.attempt));
        done(run);
    }

    private void done(UploadState run) {
        writing.remove(run.run, run);
        run.giveUp();
    }

    @Override
    public void close() {
        queue.close();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        writing.values().forEach(UploadState::giveUp);
        writing.clear();
    }
}
