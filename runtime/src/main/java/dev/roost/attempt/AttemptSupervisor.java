package dev.roost.attempt;

import dev.roost.base.CoalescingTask;
import dev.roost.engine.RuntimeContext;
import dev.roost.home.RunDirectory;
import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.EventKind;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.model.StopReason;
import dev.roost.node.AttemptControl;
import dev.roost.os.MachineLimits;
import dev.roost.output.LiveOutput;
import dev.roost.output.OutputRecorder;
import dev.roost.process.ProcessTree;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Starts, re-attaches, sweeps and releases the live attempts of this daemon. */
public final class AttemptSupervisor implements AutoCloseable, AttemptControl, LiveOutput {

    private static final System.Logger LOG = System.getLogger(AttemptSupervisor.class.getName());
    private static final int SWEEP_SECONDS = 2;
    private static final int CLAIM_BATCH = 64;
    private static final int CLOSE_TIMEOUT_SECONDS = 5;
    private static final Duration FINALIZED_WITHIN = Duration.ofSeconds(5);
    private static final Duration SUPERVISED_WITHIN = Duration.ofSeconds(5);

    private final RuntimeContext context;
    private final AttemptStarter starter;
    private final ForeignAttempts foreignAttempts;
    private final Set<RunId> owned = ConcurrentHashMap.newKeySet();
    private final Map<RunId, AttemptLoop> loops = new ConcurrentHashMap<>();
    private final BlockingQueue<ProcessTree> endedTrees = new LinkedBlockingQueue<>();
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("roost-attempt-", 0).factory());
    private final ScheduledExecutorService sweeper = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("roost-sweep").factory());

    private final CoalescingTask claimTask = new CoalescingTask();
    private final AtomicBoolean draining = new AtomicBoolean();
    private volatile boolean closing;
    private volatile boolean leaseLapsed; // some attempts here may belong to another node
    private volatile Runnable onAttemptEnded = () -> {};
    private volatile Runnable onBeforeStart = () -> {};

    public AttemptSupervisor(RuntimeContext context) {
        this.context = context;
        this.starter = new AttemptStarter(context, this::claimQueuedAsync);
        this.foreignAttempts = new ForeignAttempts(context.ledger().runs(), context.membership(), context.fence());
    }

    /** Brings every row of the ledger in line with the processes that are really there. */
    public void recover() throws IOException {
        deleteUncommittedRuns();
        context.membership().recover(this);
        awaitFinalized(finalizeOutputs());
        List<Future<?>> recoveries = context.ledger().runs().runningIds().stream()
                .<Future<?>>map(id -> threads.submit(() -> reattach(id)))
                .toList();
        for (var recovery : recoveries) {
            try {
                recovery.get();
            } catch (ExecutionException | InterruptedException e) {
                throw new IllegalStateException("recovery failed or was interrupted", e);
            }
        }
        claimQueuedSafely();
        var _ = sweeper.scheduleWithFixedDelay(
                () -> sweep(AttemptLoop::checkIfSilent), SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
    }

    /** Deletes run directories without a ledger row: their submission was never accepted. */
    private void deleteUncommittedRuns() throws IOException {
        for (var id : context.home().submissions().remaining()) {
            if (context.ledger().runs().find(id).isEmpty())
                deleteUncommittedRun(context.home().run(id));
            context.home().submissions().clear(id);
        }
    }

    /** A run that has begun was accepted, so its row is missing because the ledger was replaced; it must not be deleted. */
    private static void deleteUncommittedRun(RunDirectory directory) throws IOException {
        if (directory.attempt(1).hasBegun()) {
            LOG.log(System.Logger.Level.WARNING, "{0} has no row in the ledger; it was not deleted", directory.path());
        } else {
            directory.delete();
        }
    }

    /** Writes the last lines of output.md if they are missing and no loop owns the run. */
    public void finalizeOutput(RunId id) {
        if (!owned.add(id)) return; // its loop does it, or this daemon does after the loop has ended
        try {
            var run = context.ledger().runs().withUnfinishedOutput(id);
            if (run.isEmpty()) return;
            context.home().run(id).create(); // it may have ended before its directory was made
            context.output().fetch(run.get());
            try (var recorder = new OutputRecorder(context, run.get(), Optional.empty())) {
                recorder.finalizeOutput(run.get().latest());
            }
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, id + ": output.md lacks its last lines", e);
        } finally {
            owned.remove(id);
        }
    }

    /** Writes the missing last lines of all ended runs; a process may have died between the end and these lines. */
    private CountDownLatch finalizeOutputs() {
        var runs = context.ledger().runs().withUnfinishedOutput();
        var unfinished = new CountDownLatch(runs.size());
        for (var run : runs) {
            boolean started = runAsync(() -> {
                try {
                    finalizeOutput(run.id());
                } finally {
                    unfinished.countDown();
                }
            });
            if (!started) unfinished.countDown();
        }
        return unfinished;
    }

    /** Waits for a moment only, because other nodes may be slow to answer. */
    private static void awaitFinalized(CountDownLatch unfinished) {
        try {
            var _ = unfinished.await(FINALIZED_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Starts queued runs while there are free slots. */
    public void claimQueued() {
        claimTask.now(this::claimAndStart);
    }

    /** Logs an error (a full disk, say) and leaves the claim to the next sweep: the rest of the sweep must go on. */
    private void claimQueuedSafely() {
        try {
            claimQueued();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "could not claim queued runs; will retry", e);
        }
    }

    public void claimQueuedAsync() {
        runAsync(() -> claimTask.soon(this::claimAndStart));
    }

    private void claimAndStart() {
        onBeforeStart.run();
        for (var claimed = claim(); !claimed.isEmpty(); claimed = claim()) {
            for (var run : claimed) runAsync(() -> start(run.id()));
        }
    }

    /** False if the supervisor is closing; then the next daemon does the work. */
    private boolean runAsync(Runnable work) {
        try {
            threads.execute(work);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    private List<RunRecord> claim() {
        int room = closing ? 0 : MachineLimits.roomForStarts(CLAIM_BATCH);
        if (room == 0) return List.of(); // the next end or sweep claims again
        return context.placement().claim(context.config().caps(), room);
    }

    @Override
    public void start(RunId id) {
        acquire(id, () -> {
            var run = context.ledger()
                    .runs()
                    .find(id)
                    .filter(context.membership()::owns)
                    .orElse(null);
            if (run == null || run.status() != Status.RUNNING) return null; // it was stopped or taken over
            return starter.start(run, true);
        });
        if (!owned.contains(id)) LOG.log(System.Logger.Level.DEBUG, "{0} was not started", id);
    }

    @Override
    public void refresh(Collection<RunId> runs) {
        for (var id : runs) {
            var loop = loops.get(id);
            if (loop == null) continue;
            context.ledger().runs().find(id).ifPresent(run -> {
                if (foreignAttempts.isForeign(loop, run)) loop.fence();
                else run.latest().stopping().ifPresent(loop::stop);
            });
            loop.messagesArrived();
        }
    }

    @Override
    public void killForeign() throws IOException {
        foreignAttempts.killForeignAtStart();
    }

    @Override
    public void releaseForeign() {
        leaseLapsed = true;
        runAsync(this::releaseForeignNow);
    }

    /** Also kills attempts without a loop, which another node took over while they started here. The sweep retries errors. */
    private void releaseForeignNow() {
        if (!leaseLapsed) return;
        leaseLapsed = false;
        try {
            refresh(List.copyOf(loops.keySet()));
            foreignAttempts.killForeign();
        } catch (IOException | RuntimeException e) {
            leaseLapsed = true;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "could not find all attempts that now belong to another node; will retry",
                    e);
        }
    }

    @Override
    public void drain() {
        if (!draining.compareAndSet(false, true)) return;
        boolean done = runAsync(() -> {
            try {
                for (var loop : loops.values()) if (loop.canMove() && canRelocate(loop)) loop.move();
            } finally {
                draining.set(false);
            }
        });
        if (!done) draining.set(false);
    }

    /** Whether another node is there, and can get everything that the next attempt needs. */
    private boolean canRelocate(AttemptLoop loop) {
        try {
            var run = context.ledger().runs().find(loop.run().id()).orElseGet(loop::run);
            var first = context.orders().get(run.id(), 1);
            if (first.isEmpty()
                    || AttemptPreparation.whyBoundToNode(context, run, first.get(), loop.session())
                            .isPresent()) return false;
            var next = first.get().next(first.get().task(), Optional.empty(), Optional.empty());
            return context.placement().canRunWithout(context.membership().self(), next, true);
        } catch (IOException | RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "%s: whether another node can continue it is unknown; will retry"
                            .formatted(loop.run().id()),
                    e);
            return false;
        }
    }

    @Override
    public void takeOver(RunRecord run, LostNode loss, Predicate<AttemptEnd> finish) {
        if (!owned.add(run.id())) return;
        boolean won = false;
        try {
            won = new LostNodeTakeover(context, run, loss).end(finish);
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "%s could not be taken over; will retry".formatted(run.id()), e);
        } finally {
            owned.remove(run.id());
        }
        if (won) {
            finalizeOutput(run.id());
            claimQueuedAsync();
        }
    }

    /** Makes a loop for a run that is running in the ledger and has no loop here. */
    private void reattach(RunId id) {
        acquire(id, () -> {
            // checked before the row is read: a start that stops pending later has begun or was taken over, as the row
            // says
            if (context.placement().isPendingStart(id)) return null;
            var run = context.ledger()
                    .runs()
                    .find(id)
                    .orElseThrow(); // read now: the row may have changed since the sweep listed it
            if (run.status() != Status.RUNNING || !context.membership().owns(run)) return null;
            return starter.start(run, false);
        });
    }

    private interface LoopMaker {
        @Nullable
        AttemptLoop make() throws IOException;
    }

    /** Owns the run and starts its loop, unless it is owned already. The sweep retries errors. */
    private void acquire(RunId id, LoopMaker maker) {
        if (!owned.add(id)) return;
        try {
            var loop = maker.make();
            if (loop != null) startLoop(loop);
            else owned.remove(id);
        } catch (IOException | RuntimeException e) {
            owned.remove(id);
            LOG.log(System.Logger.Level.ERROR, "could not start the loop of %s; will retry".formatted(id), e);
        }
    }

    private void startLoop(AttemptLoop loop) {
        var id = loop.run().id();
        loops.put(id, loop);
        if (closing) loop.detach();
        try { // a stop may have been requested before the loop was registered
            context.ledger()
                    .runs()
                    .find(id)
                    .flatMap(run -> run.latest().stopping())
                    .ifPresent(loop::stop);
        } catch (RuntimeException e) {
            loops.remove(id);
            loop.close();
            throw e;
        }
        boolean submitted = runAsync(() -> {
            try {
                loop.runLoop();
            } finally {
                release(loop);
            }
            if (!loop.isFinished()) return;
            endedTrees.add(loop.tree());
            if (loop.isForeign()) return;
            finalizeOutput(
                    id); // if the loop could not write the last lines, or the run was stopped between two attempts
            onAttemptEnded.run();
            claimQueuedAsync(); // its slot is free, and it may itself be queued again
            if (loop.run().work().isPresent())
                context.worktrees().attemptEnded(id, loop.run().latest().n());
            context.uploader().ifPresent(uploader -> uploader.attemptEnded(loop.run(), loop.session()));
        });
        if (!submitted) release(loop);
    }

    private void release(AttemptLoop loop) {
        loop.close();
        loops.remove(loop.run().id());
        owned.remove(loop.run().id());
    }

    /** Runs the action only if the run is not owned here, and owns the run meanwhile. */
    public void runIfUnowned(RunId run, Runnable action) {
        if (!owned.add(run)) return;
        try {
            action.run();
        } finally {
            owned.remove(run);
        }
    }

    @Override
    public boolean isOwned(RunId run) {
        return owned.contains(run);
    }

    public void stop(RunRecord run, StopReason stop) {
        Optional.ofNullable(loops.get(run.id())).ifPresent(loop -> loop.stop(stop));
    }

    /** Sets the action to run whenever a run may have ended, and at each sweep. */
    public void onAttemptEnded(Runnable action) {
        onAttemptEnded = action;
    }

    /** Sets the action to run before queued runs are claimed. */
    public void onBeforeStart(Runnable action) {
        onBeforeStart = action;
    }

    public void messagesArrived(RunId run) {
        Optional.ofNullable(loops.get(run)).ifPresent(AttemptLoop::messagesArrived);
    }

    @Override
    public int count() {
        return loops.size();
    }

    /** Runs that have been running in the ledger for a while but have no loop here. */
    public List<RunId> unsupervised(Instant now) {
        return context.ledger().runs().running().stream()
                .filter(run -> !owned.contains(run.id()))
                .filter(run -> run.latest()
                        .startedAt()
                        .filter(at -> at.plus(SUPERVISED_WITHIN).isBefore(now))
                        .isPresent())
                .map(RunRecord::id)
                .toList();
    }

    /** The live run that the process with this pid belongs to, by its group or by its ancestors. */
    public Optional<RunRecord> findByProcess(long pid) {
        return ProcessTree.findByProcess(
                        pid, loops.values().stream().map(AttemptLoop::tree).toList())
                .flatMap(tree -> Optional.ofNullable(loops.get(tree.run())))
                .map(AttemptLoop::run);
    }

    @Override
    public Optional<Long> outputLength(RunId run) {
        return Optional.ofNullable(loops.get(run)).map(AttemptLoop::outputLength);
    }

    /** Wakes every loop and repeats all housekeeping once, in case an event was missed or an earlier try failed. */
    public void sweep() {
        awaitFinalized(finalizeOutputs());
        sweep(AttemptLoop::wake);
    }

    private void sweep(Consumer<AttemptLoop> check) {
        try {
            for (var id : context.ledger().runs().runningIds()) if (!owned.contains(id)) runAsync(() -> reattach(id));
            var _ = finalizeOutputs();
            onAttemptEnded.run();
            claimQueuedSafely();
            ProcessTree.rememberDescendants(
                    loops.values().stream().map(AttemptLoop::tree).toList());
            killStragglers();
            context.membership().refresh(this, List.copyOf(loops.keySet()));
            releaseForeignNow();
            loops.values().forEach(check);
            // a loop that has not started may have the conversation of an earlier attempt here, and must not share that
            context.uploader()
                    .ifPresent(uploader -> loops.values().stream()
                            .filter(AttemptLoop::hasStarted)
                            .forEach(loop -> uploader.uploadIfDue(loop.run(), loop.session())));
        } catch (Throwable e) { // an exception would cancel all further sweeps
            LOG.log(System.Logger.Level.ERROR, "sweep failed", e);
        }
    }

    /** Kills processes that escaped from the trees of attempts that ended since the last sweep; one search serves them all. */
    private void killStragglers() {
        var ended = new ArrayList<ProcessTree>();
        endedTrees.drainTo(ended);
        if (ended.isEmpty()) return;
        ProcessTree.killStragglers(ended).forEach((tree, stragglers) -> {
            endedTrees.add(tree); // searched again, as the straggler may have left another process
            context.ledger()
                    .note(
                            tree.run(),
                            tree.attempt(),
                            EventKind.STRAGGLER,
                            "ended after it: " + String.join("; ", stragglers));
        });
    }

    @Override
    public void close() {
        closing = true;
        sweeper.close();
        loops.values().forEach(AttemptLoop::detach);
        threads.shutdown();
        try {
            if (threads.awaitTermination(CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS)) return;
            threads.shutdownNow(); // interrupts hanging git commands; the next daemon repeats their work
            if (!threads.awaitTermination(CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS))
                LOG.log(System.Logger.Level.WARNING, "some attempts were not released in time");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
