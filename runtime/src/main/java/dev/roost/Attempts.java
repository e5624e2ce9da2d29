package dev.roost;

import dev.roost.ledger.Query;
import dev.roost.ledger.Run;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import dev.roost.run.Stop;
import dev.roost.supervisor.OutputTail;
import dev.roost.supervisor.ProcessTree;
import dev.roost.supervisor.RunDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** All live attempts: started, inherited, swept, let go. */
final class Attempts implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Attempts.class.getName());
    private static final int SWEEP_SECONDS = 2;

    private final Rooms rooms;
    private final Map<RunId, AttemptLoop> loops = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("roost-attempt-", 0).factory());
    private final ScheduledExecutorService sweeper = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("roost-sweep").factory());

    Attempts(Rooms rooms) {
        this.rooms = rooms;
    }

    /** Brings every row of the ledger in line with the processes that are really there. */
    void settle() throws IOException {
        removeStrangers();
        for (var run : rooms.ledger().unsealed()) sealAgain(run);
        var live = rooms.ledger().list(Query.of(Query.Which.LIVE)).reversed();
        List<Future<?>> settled = live.stream()
                .filter(run -> run.status() == Status.RUNNING)
                .<Future<?>>map(run -> threads.submit(() -> inherit(run)))
                .toList();
        for (var one : settled) {
            try {
                one.get();
            } catch (Exception e) {
                LOG.log(System.Logger.Level.ERROR, "an attempt could not be settled", e);
            }
        }
        live.stream().filter(run -> run.status() == Status.QUEUED).forEach(this::dispatch);
        var _ = sweeper.scheduleWithFixedDelay(this::sweep, SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
    }

    /** A directory without a row is a submission that was never accepted. */
    private void removeStrangers() throws IOException {
        try (var all = Files.newDirectoryStream(rooms.home().runs(), "r_*")) {
            for (Path directory : all) {
                if (rooms.ledger()
                        .find(new RunId(directory.getFileName().toString()))
                        .isEmpty()) {
                    new RunDirectory(directory).delete();
                }
            }
        }
    }

    private void sealAgain(Run run) {
        var directory = rooms.home().run(run.id());
        var position = run.latest().position();
        try (var tail = new OutputTail(
                directory.attempt(run.latest().n()).out(),
                directory.output(),
                position.outOffset(),
                position.outputBytes())) {
            Results.seal(rooms, run.id(), run.latest(), tail);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, run.id() + ": output.md lacks its last lines", e);
        }
    }

    private void inherit(Run run) {
        try {
            lead(AttemptLoop.inherit(rooms, run, this::over));
        } catch (IOException e) {
            throw new IllegalStateException("%s cannot be settled".formatted(run.id()), e);
        }
    }

    /** Finds the queued run a slot and starts it; returns at once. */
    void dispatch(Run run) {
        threads.execute(() -> {
            try {
                var claimed = rooms.ledger().claim(run.id(), run.latest().n());
                if (claimed.isPresent()) lead(AttemptLoop.begin(rooms, claimed.get(), this::over));
            } catch (IOException | RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "%s could not be started".formatted(run.id()), e);
            }
        });
    }

    private void lead(AttemptLoop loop) {
        if (loop.isOver()) return;
        loops.put(loop.run().id(), loop);
        rooms.ledger()
                .find(loop.run().id())
                .flatMap(run -> run.latest().stopping())
                .ifPresent(loop::stop); // asked for before the loop was there to hear it
        threads.execute(loop::lead);
    }

    private void over(AttemptLoop loop) {
        loops.remove(loop.run().id(), loop);
        rooms.ledger()
                .find(loop.run().id())
                .filter(run -> run.status() == Status.QUEUED)
                .ifPresent(this::dispatch);
    }

    void stop(Run run, Stop stop) {
        Optional.ofNullable(loops.get(run.id())).ifPresent(loop -> loop.stop(stop));
    }

    int live() {
        return loops.size();
    }

    Optional<Long> outputLength(RunId run) {
        return Optional.ofNullable(loops.get(run)).map(AttemptLoop::outputLength);
    }

    void sweep() {
        try {
            ProcessTree.remember(loops.values().stream().map(AttemptLoop::tree).toList());
            loops.values().forEach(AttemptLoop::poke);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "sweep failed", e);
        }
    }

    @Override
    public void close() {
        sweeper.shutdownNow();
        loops.values().forEach(AttemptLoop::leave);
        threads.close();
    }
}
