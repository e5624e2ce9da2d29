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

/** All live attempts: started, inherited, swept, let go. */
public final class AttemptSupervisor implements AutoCloseable, AttemptControl, LiveOutput {

    private static final System.Logger LOG = System.getLogger(AttemptSupervisor.class.getName());
    private static final int SWEEP_SECONDS = 2;
    private static final int CLAIMED_AT_ONCE = 64;
    private static final int GOODBYE_SECONDS = 5;
    private static final Duration SETTLED_WITHIN = Duration.ofSeconds(5);

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
    private volatile boolean leaseLapsed; // some of what is here may be another node's
    private volatile Runnable onAttemptEnded = () -> {};
    private volatile Runnable onBeforeStart = () -> {};

    public AttemptSupervisor(RuntimeContext context) {
        this.context = context;
        this.starter = new AttemptStarter(context, this::claimQueuedAsync);
        this.foreignAttempts = new ForeignAttempts(context);
    }

    /** Brings every row of the ledger in line with the processes that are really there. */
    public void recover() throws IOException {
        deleteUncommittedRuns();
        if (context.cluster().isClustered()) foreignAttempts.killForeignAtStart();
        finalizeOutputs();
        List<Future<?>> settled = context.ledger().runs().runningIds().stream()
                .<Future<?>>map(id -> threads.submit(() -> reattach(id)))
                .toList();
        for (var one : settled) {
            try {
                one.get();
            } catch (ExecutionException | InterruptedException e) {
                throw new IllegalStateException("settling was interrupted", e);
            }
        }
        claimQueuedSafely();
        var _ = sweeper.scheduleWithFixedDelay(
                () -> sweep(AttemptLoop::checkIfSilent), SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
    }

    /** A directory without a row is a submission that was never accepted. */
    private void deleteUncommittedRuns() throws IOException {
        for (var id : context.home().submissions().remaining()) {
            if (context.ledger().runs().find(id).isEmpty())
                deleteUncommittedRun(context.home().run(id));
            context.home().submissions().clear(id);
        }
    }

    /** One that has begun was accepted: the ledger must have been taken away or put back. It is nobody's to delete. */
    private static void deleteUncommittedRun(RunDirectory directory) throws IOException {
        if (directory.attempt(1).hasBegun()) {
            LOG.log(System.Logger.Level.WARNING, "{0} has no row in the ledger; left as it is", directory.path());
        } else {
            directory.delete();
        }
    }

    /** Gives output.md its last lines, where nobody has and nobody is about to. */
    public void finalizeOutput(RunId id) {
        if (!owned.add(id)) return; // who leads it does, or we do after him
        try {
            var run = context.ledger().runs().withUnfinishedOutput(id);
            if (run.isEmpty()) return;
            context.home().run(id).create(); // it may have ended before it was anywhere
            context.cluster().fetch(run.get());
            try (var recorder = new OutputRecorder(context, run.get(), Optional.empty())) {
                recorder.finalizeOutput(run.get().latest());
            }
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, id + ": output.md lacks its last lines", e);
        } finally {
            owned.remove(id);
        }
    }

    /** Whoever ended it may have died before it could. */
    private void finalizeOutputs() {
        for (var run : context.ledger().runs().withUnfinishedOutput()) {
            if (context.cluster().isClustered())
                runAsync(() -> finalizeOutput(run.id())); // the others may be slow to hear of it
            else finalizeOutput(run.id());
        }
    }

    /** Starts what is queued, as far as there are slots. */
    @Override
    public void claimQueued() {
        claimTask.now(this::claimAndStart);
    }

    /** What cannot be claimed now, on a full disk say, the sweep claims: what runs must not be left alone for it. */
    private void claimQueuedSafely() {
        try {
            claimQueued();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "nothing could be begun; will try again", e);
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

    /** False if we are closing: then the next daemon does it. */
    private boolean runAsync(Runnable work) {
        try {
            threads.execute(work);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    private List<RunRecord> claim() {
        int room = closing ? 0 : MachineLimits.roomForStarts(CLAIMED_AT_ONCE);
        if (room == 0) return List.of(); // an end or the sweep comes by again
        return context.cluster().claim(context.ledger(), context.config().caps(), room);
    }

    @Override
    public void start(RunId id) {
        acquire(id, () -> {
            var run = context.ledger()
                    .runs()
                    .find(id)
                    .filter(context.cluster()::owns)
                    .orElse(null);
            if (run == null || run.status() != Status.RUNNING) return null; // it was stopped, or taken over
            return starter.start(run, true);
        });
        if (!owned.contains(id)) LOG.log(System.Logger.Level.DEBUG, "{0} was not begun", id);
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
    public void releaseForeign() {
        leaseLapsed = true;
        runAsync(this::releaseForeignNow);
    }

    /** Also what nobody leads, because it came here as somebody else took it over. What fails, the sweep does again. */
    private void releaseForeignNow() {
        if (!leaseLapsed) return;
        leaseLapsed = false;
        try {
            refresh(List.copyOf(loops.keySet()));
            foreignAttempts.killForeign();
        } catch (IOException | RuntimeException e) {
            leaseLapsed = true;
            LOG.log(System.Logger.Level.WARNING, "what is another node's by now was not all found", e);
        }
    }

    @Override
    public void drain() {
        if (!draining.compareAndSet(false, true)) return;
        boolean done = runAsync(() -> {
            try {
                for (var loop : loops.values()) {
                    if (loop.canMove()
                            && context.cluster().canRelocate(loop.run())
                            && AttemptPreparation.canRelocate(context, loop.run(), loop.session())) loop.move();
                }
            } finally {
                draining.set(false);
            }
        });
        if (!done) draining.set(false);
    }

    @Override
    public void takeOver(RunRecord run, LostNode loss, Predicate<AttemptEnd> finish) {
        if (!owned.add(run.id())) return;
        boolean won = false;
        try {
            won = new LostNodeTakeover(context, run, loss).end(finish);
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "%s could not be taken over; will try again".formatted(run.id()), e);
        } finally {
            owned.remove(run.id());
        }
        if (won) {
            finalizeOutput(run.id());
            claimQueuedAsync();
        }
    }

    /** Takes over a run that says it is running, but that nobody here leads. */
    private void reattach(RunId id) {
        acquire(id, () -> {
            // asked first: what stops waiting after this was begun, or taken over, and the row says which
            if (context.cluster().isPendingStart(id)) return null;
            var run = context.ledger()
                    .runs()
                    .find(id)
                    .orElseThrow(); // as it is now, not as it was when somebody thought of it
            if (run.status() != Status.RUNNING || !context.cluster().owns(run)) return null;
            return starter.start(run, false);
        });
    }

    private interface LoopMaker {
        @Nullable
        AttemptLoop make() throws IOException;
    }

    /** Takes charge of a run unless somebody has; if that goes wrong, the sweep comes by and tries again. */
    private void acquire(RunId id, LoopMaker maker) {
        if (!owned.add(id)) return;
        try {
            var loop = maker.make();
            if (loop != null) startLoop(loop);
            else owned.remove(id);
        } catch (IOException | RuntimeException e) {
            owned.remove(id);
            LOG.log(System.Logger.Level.ERROR, "%s could not be taken up; will try again".formatted(id), e);
        }
    }

    private void startLoop(AttemptLoop loop) {
        var id = loop.run().id();
        loops.put(id, loop);
        if (closing) loop.detach();
        try { // a stop may have been asked for before the loop was there to hear of it
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
        boolean led = runAsync(() -> {
            try {
                loop.runLoop();
            } finally {
                release(loop);
            }
            if (!loop.isFinished()) return;
            endedTrees.add(loop.tree());
            if (loop.isFenced() || foreignAttempts.wasTakenOver(loop)) return;
            finalizeOutput(id); // one who could not write its last lines, or was stopped between two attempts
            onAttemptEnded.run();
            claimQueuedAsync(); // its slot is free, and it may itself be queued again
            if (loop.run().work().isPresent())
                context.worktrees().attemptEnded(id, loop.run().latest().n());
            context.uploader().attemptEnded(loop.run(), loop.session());
        });
        if (!led) release(loop);
    }

    private void release(AttemptLoop loop) {
        loop.close();
        loops.remove(loop.run().id());
        owned.remove(loop.run().id());
    }

    /** Nobody here takes up the run meanwhile; nothing is done if somebody has. */
    public void runIfUnowned(RunId run, Runnable what) {
        if (!owned.add(run)) return;
        try {
            what.run();
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

    /** To be done whenever a run may have ended, and at the sweep. */
    public void onAttemptEnded(Runnable what) {
        onAttemptEnded = what;
    }

    /** To be done before anything is started. */
    public void onBeforeStart(Runnable what) {
        onBeforeStart = what;
    }

    public void messagesArrived(RunId run) {
        Optional.ofNullable(loops.get(run)).ifPresent(AttemptLoop::messagesArrived);
    }

    @Override
    public int count() {
        return loops.size();
    }

    /** Runs that are called running and that nobody leads, though there was time enough to take them up. */
    public List<RunId> unsupervised(Instant now) {
        return context.ledger().runs().running().stream()
                .filter(run -> !owned.contains(run.id()))
                .filter(run -> run.latest()
                        .startedAt()
                        .filter(at -> at.plus(SETTLED_WITHIN).isBefore(now))
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

    /** Looks at everything once, in case an event was missed or something had gone wrong. */
    public void sweep() {
        sweep(AttemptLoop::wake);
    }

    private void sweep(Consumer<AttemptLoop> look) {
        try {
            for (var id : context.ledger().runs().runningIds()) if (!owned.contains(id)) runAsync(() -> reattach(id));
            finalizeOutputs();
            onAttemptEnded.run();
            claimQueuedSafely();
            ProcessTree.rememberDescendants(
                    loops.values().stream().map(AttemptLoop::tree).toList());
            killStragglers();
            if (context.cluster().isClustered()) refresh(List.copyOf(loops.keySet()));
            releaseForeignNow();
            loops.values().forEach(look);
            loops.values().forEach(loop -> context.uploader().uploadIfDue(loop.run(), loop.session()));
        } catch (Throwable e) { // whatever it was, the next sweep must come
            LOG.log(System.Logger.Level.ERROR, "sweep failed", e);
        }
    }

    /** One search for all that ended since the last: who found a way out of his run must not outlive it for long. */
    private void killStragglers() {
        var ended = new ArrayList<ProcessTree>();
        endedTrees.drainTo(ended);
        if (ended.isEmpty()) return;
        ProcessTree.killStragglers(ended).forEach((tree, who) -> {
            endedTrees.add(tree); // it may have left another behind
            context.ledger()
                    .note(tree.run(), tree.attempt(), EventKind.STRAGGLER, "ended after it: " + String.join("; ", who));
        });
    }

    @Override
    public void close() {
        closing = true;
        sweeper.close();
        loops.values().forEach(AttemptLoop::detach);
        threads.shutdown();
        try {
            if (threads.awaitTermination(GOODBYE_SECONDS, TimeUnit.SECONDS)) return;
            threads.shutdownNow(); // git that hangs is ended; what it was to do, the next daemon does
            if (!threads.awaitTermination(GOODBYE_SECONDS, TimeUnit.SECONDS))
                LOG.log(System.Logger.Level.WARNING, "some attempts were not let go of in time");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
