package dev.roost.cluster;

import dev.roost.run.Broken;
import dev.roost.run.Clock;
import dev.roost.run.RunId;
import dev.roost.shelf.Answer;
import dev.roost.shelf.Piece;
import dev.roost.shelf.Shelf;
import dev.roost.shelf.ShelfName;
import dev.roost.shelf.ShelfNotes;
import dev.roost.shelf.Taking;
import dev.roost.supervisor.Home;
import dev.roost.supervisor.PrivateFiles;
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
 * One thread that carries what grew to the shelf, many runs in one commit. It keeps no bytes: what is not there yet is read
 * from the files when its turn comes, so that a shelf that is slow or away costs lag, and no memory.
 */
public final class Shipper implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Shipper.class.getName());

    private static final Duration BEAT = Duration.ofMillis(500);
    private static final Duration AFTER_TROUBLE = Duration.ofSeconds(1);
    private static final int ROUND = 4 << 20;
    private static final int SHARE = 1 << 18;
    private static final int MOST_RUNS = 200;

    private final Shelf shelf;
    private final Home home;
    private final Map<RunId, ShippedRun> led = new ConcurrentHashMap<>();
    private final ShippingQueue queue;
    private final Thread thread;
    private boolean troubled; // and said so

    public Shipper(Shelf shelf, Home home, Clock clock) {
        this.shelf = shelf;
        this.home = home;
        this.queue = new ShippingQueue(clock, BEAT);
        this.thread = Thread.ofPlatform().daemon().name("roost-shipper").start(this::loop);
    }

    /**
     * This node leads the run from now on; its files have these lengths, and nothing is added to them before this returns. It
     * does not wait for the shelf: what that has beyond, from a daemon whose last words were not confirmed, is cut off before
     * anything else is sent. The lengths are noted down: a daemon that dies before the shelf has heard of them, and whose successor begins further
     * on, has written something else behind them than what the shelf has there.
     */
    public synchronized void lead(RunId run, int attempt, Map<ShelfName, Long> lengths) throws IOException {
        var directory = home.run(run).path();
        var notes = ShelfNotes.agreed(directory);
        var agreed = new HashMap<>(lengths);
        agreed.replaceAll((name, length) -> Math.min(length, notes.get(name).orElse(length)));
        notes.put(agreed);
        var before = led.put(run, new ShippedRun(run, attempt, directory, agreed));
        if (before != null) before.giveUp();
        queue.grew(run);
    }

    private synchronized void confirmed(ShippedRun run, Map<ShelfName, Long> there) {
        run.begin(there);
        if (led.get(run.run) != run) return; // led anew: those lengths are not confirmed
        try {
            ShelfNotes.agreed(run.directory).forget();
        } catch (IOException e) { // kept: then the next one sends a little more than it must
            LOG.log(System.Logger.Level.DEBUG, run.run + ": its notes cannot be removed", e);
        }
    }

    /** Whether its files here are those that the others are to have. */
    boolean leads(RunId run) {
        return led.containsKey(run);
    }

    /** Something was added to a file of the run. Costs next to nothing; from any thread. */
    public void grew(RunId run) {
        if (led.containsKey(run)) queue.grew(run);
    }

    /** Waits until what the files hold now is on the shelf; false if it is not, because of the time or of a later attempt. */
    public boolean flush(RunId run, Duration within) throws InterruptedException {
        var shipped = led.get(run);
        if (shipped == null) return false;
        var done = new CompletableFuture<Boolean>();
        try {
            var lengths = new HashMap<ShelfName, Long>();
            for (var name : shipped.lengths.keySet()) lengths.put(name, PrivateFiles.size(shipped.file(name)));
            shipped.flushes.add(new ShippedRun.Flush(lengths, done));
            queue.hurry(run);
            if (led.get(run) != shipped) shipped.giveUp(); // left, or fenced, this moment
            return done.get(within.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return false;
        } catch (IOException | ExecutionException e) {
            LOG.log(System.Logger.Level.WARNING, run + ": its files cannot be looked at", e);
            return false;
        } finally {
            done.complete(false); // nobody waits any more
            shipped.flushes.removeIf(flush -> flush.done().isDone());
        }
    }

    /** This node does not lead the run any more; what the shelf lacks of it is still sent. */
    public void leave(RunId run) {
        var left = led.get(run);
        if (left == null) return;
        left.left = true;
        queue.hurry(run);
    }

    private void loop() {
        while (true) {
            List<RunId> next;
            try {
                next = queue.next(MOST_RUNS);
            } catch (InterruptedException e) {
                continue; // nobody interrupts it; it ends when the queue does
            }
            if (next.isEmpty()) return;
            try {
                queue.again(round(next));
                if (troubled) LOG.log(System.Logger.Level.INFO, "output reaches the shelf again");
                troubled = false;
            } catch (RuntimeException e) { // it must go on
                trouble(e);
                queue.pause(AFTER_TROUBLE);
                queue.again(next);
            }
        }
    }

    private void trouble(RuntimeException e) {
        if (troubled) return;
        troubled = true;
        if (e instanceof Broken known)
            LOG.log(System.Logger.Level.WARNING, "output waits, and is sent later. " + known.sentence());
        else LOG.log(System.Logger.Level.ERROR, "output could not be sent; it is tried again", e);
    }

    /** Sends a share of each; answers who has more. */
    private Set<RunId> round(List<RunId> next) {
        var pieces = new ArrayList<Piece>();
        var sent = new ArrayList<ShippedRun>();
        var more = new LinkedHashSet<RunId>();
        take(next);
        int share = Math.max(SHARE, ROUND / next.size());
        int left = ROUND;
        for (var run : next) {
            var shipped = led.get(run);
            if (shipped == null) continue;
            if (left <= 0 || !shipped.taken) {
                more.add(run);
                continue;
            }
            var own = read(shipped, share);
            if (own.isEmpty()) shipped.answerFlushes();
            if (own.isEmpty() && shipped.left) done(shipped);
            int size = own.stream().mapToInt(piece -> piece.bytes().length).sum();
            if (size == share) more.add(run);
            left -= size;
            for (var piece : own) {
                pieces.add(piece);
                sent.add(shipped);
            }
        }
        var answers = shelf.append(pieces);
        for (int i = 0; i < answers.size(); i++) {
            if (heard(sent.get(i), pieces.get(i).name(), answers.get(i)) || sent.get(i).left) more.add(sent.get(i).run);
        }
        sent.forEach(ShippedRun::answerFlushes);
        return more;
    }

    /** Those that this node has just begun to lead: the shelf must know before they send anything. */
    private void take(List<RunId> next) {
        var fresh = next.stream()
                .flatMap(run -> Optional.ofNullable(led.get(run)).stream())
                .filter(run -> !run.taken)
                .toList();
        var answers = shelf.take(fresh.stream()
                .map(run -> new Taking(run.run, run.attempt, run.lengths))
                .toList());
        for (int i = 0; i < answers.size(); i++) {
            var run = fresh.get(i);
            answers.get(i).ifPresentOrElse(there -> confirmed(run, there), () -> fenced(run));
        }
    }

    /** What is new in its files, up to its share. */
    private List<Piece> read(ShippedRun run, int share) {
        var pieces = new ArrayList<Piece>();
        int left = share;
        for (var file : run.shipped.entrySet()) {
            if (left == 0) break;
            try {
                var bytes = read(run.file(file.getKey()), file.getValue(), left);
                if (bytes.length == 0) continue;
                left -= bytes.length;
                pieces.add(new Piece(run.run, run.attempt, file.getKey(), file.getValue(), bytes));
            } catch (IOException e) {
                LOG.log(System.Logger.Level.WARNING, "%s of %s cannot be read".formatted(file.getKey(), run.run), e);
                queue.grew(run.run); // later
            }
        }
        return pieces;
    }

    private static byte[] read(Path file, long from, int most) throws IOException {
        if (!PrivateFiles.exists(file)) return new byte[0]; // not there yet, or removed by hand
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

    /** True if it must be sent again. */
    private boolean heard(ShippedRun run, ShelfName name, Answer answer) {
        return switch (answer) {
            case Answer.There(var length) -> {
                run.shipped.put(name, length);
                yield false;
            }
            case Answer.Gap(var length) -> {
                LOG.log(System.Logger.Level.WARNING, "the shelf has lost some of %s of %s".formatted(name, run.run));
                run.shipped.put(name, length);
                yield true;
            }
            case Answer.Fenced() -> {
                fenced(run);
                yield false;
            }
        };
    }

    private void fenced(ShippedRun run) {
        LOG.log(System.Logger.Level.INFO, "%s/%d: a later attempt writes its files".formatted(run.run, run.attempt));
        done(run);
    }

    private void done(ShippedRun run) {
        led.remove(run.run, run);
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
        led.values().forEach(ShippedRun::giveUp);
        led.clear();
    }
}
