package dev.roost.attempt;

import dev.roost.attempt.core.AttemptStateMachine;
import dev.roost.attempt.core.AttemptStepper;
import dev.roost.attempt.core.Observation.AttemptOrders;
import dev.roost.base.DiskErrors;
import dev.roost.base.RoostError;
import dev.roost.config.DailyBudget;
import dev.roost.engine.RuntimeContext;
import dev.roost.home.AttemptDirectory;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.model.EventKind;
import dev.roost.model.Phase;
import dev.roost.model.ProcessId;
import dev.roost.model.StopReason;
import dev.roost.os.FileWatcher;
import dev.roost.os.Processes;
import dev.roost.process.ProcessTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Takes the steps of one attempt from its launch to its end. A file event, an exit, a stop, a deadline or
 * the sweep wakes it.
 */
final class AttemptLoop implements AutoCloseable, LoopSignals {

    private static final System.Logger LOG = System.getLogger(AttemptLoop.class.getName());

    private static final Duration TROUBLE_PAUSE = Duration.ofSeconds(1);

    private final RuntimeContext context;
    private final RunRecord run;
    private final int attempt;
    private final AttemptDirectory directory;
    private final ProcessActions actions;
    private final AttemptStepper stepper;
    private final Optional<FileWatcher.FileWatch> watch;
    private final Semaphore wake = new Semaphore(0);

    private long troubledAt;
    private volatile Optional<StopReason> stop;
    private volatile boolean moving; // stopped here, to continue on another node
    private volatile boolean fenced; // another node has the attempt; its processes here must be killed
    private volatile boolean detached;
    private volatile boolean recovering; // a restarted daemon kills a stopped attempt without the grace period
    private volatile Optional<ProcessId> idle =
            Optional.empty(); // the agent, while every change of it comes as an event
    private long written;
    private int checks;

    private AttemptLoop(RuntimeContext context, RunRecord run, boolean recovering) throws IOException {
        context.home().run(run.id()).create(); // the directory may have been removed; the row still needs its end
        this.context = context;
        this.run = run;
        this.attempt = run.latest().n();
        this.directory = context.home().run(run.id()).attempt(attempt);
        this.stop = run.latest().stopping();
        // a ledger restored from a backup may list a run as queued that has run since: it must not run twice
        this.recovering = recovering || directory.hasBegun();
        this.actions = new ProcessActions(context, run, directory, this, !this.recovering);
        boolean wasQuiet = actions.conversation().phase() == Phase.QUIET;
        this.stepper = new AttemptStepper(
                new AttemptStateMachine(actions.rules(), context.clock().monotonicNanos(), wasQuiet), actions);
        this.watch = watch();
    }

    private Optional<FileWatcher.FileWatch> watch() {
        try {
            return Optional.of(context.fileWatcher().watch(directory.path(), this::wake));
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "no file events for %s; it relies on the sweep: %s".formatted(run.id(), e));
            return Optional.empty();
        }
    }

    /** For an attempt that was just claimed. */
    static AttemptLoop begin(RuntimeContext context, RunRecord run) throws IOException {
        return ready(new AttemptLoop(context, run, false), AttemptLoop::recover);
    }

    /** For an attempt that an earlier daemon started. Its recovery step is done when this returns. */
    static AttemptLoop reattach(RuntimeContext context, RunRecord run) throws IOException {
        return ready(new AttemptLoop(context, run, true), AttemptLoop::recover);
    }

    /** For an attempt that this machine cannot start; ends it as failed. */
    static AttemptLoop refuse(RuntimeContext context, RunRecord run, RoostError because) throws IOException {
        return ready(new AttemptLoop(context, run, false), loop -> {
            loop.recovering = false;
            loop.actions.refuse(because);
            loop.stepper.step();
        });
    }

    private interface FirstStep {
        void of(AttemptLoop loop) throws IOException;
    }

    /** Closes the loop if its first step fails, as no other object refers to it. The sweep tries again. */
    private static AttemptLoop ready(AttemptLoop loop, FirstStep first) throws IOException {
        try {
            first.of(loop);
            return loop;
        } catch (IOException | RuntimeException e) {
            loop.close();
            throw e;
        }
    }

    private void recover() throws IOException {
        if (!recovering) return;
        moving = new AttemptHistoryReader(context, run).isMoving();
        stepSafely();
    }

    @Override
    public AttemptOrders orders() {
        return new AttemptOrders(stop, moving, fenced, detached, recovering);
    }

    @Override
    public void stopRequested(StopReason reason) {
        stop = Optional.of(reason);
    }

    /** Whether the error comes from the disk or a store and not from the run, so that a retry may succeed. */
    static boolean isRetryable(Exception error) {
        if (DiskErrors.isFull(error)) return true;
        return error instanceof RoostError known && known.retryable();
    }

    ProcessTree tree() {
        return actions.tree();
    }

    RunRecord run() {
        return run;
    }

    /** Whether the row still shows this loop's attempt as live. */
    boolean isCurrent(RunRecord now) {
        return now.latest().n() == attempt && !now.status().ended();
    }

    /** Fences the attempt because another node has it: kills its processes here and records nothing more. */
    void fence() {
        fenced = true;
        actions.interrupt();
        wake();
    }

    /** Whether another node has the attempt, or has ended it. */
    boolean isForeign() {
        return fenced || actions.isForeign();
    }

    /** Whether the attempt can move to another node and no move has begun. */
    boolean canMove() {
        return !moving && !fenced && !isFinished() && stop.isEmpty() && actions.canBeMoved();
    }

    /** Stops the attempt because its node is drained. Another node starts the next attempt. */
    void move() {
        context.ledger()
                .note(
                        run.id(),
                        attempt,
                        EventKind.MOVING,
                        "its node is drained; it is stopped here to continue on another node");
        moving = true;
        wake();
    }

    boolean isFinished() {
        return stepper.isFinished();
    }

    boolean hasStarted() {
        return actions.started().isPresent();
    }

    /** The id of the agent's own conversation, once it has one. */
    Optional<String> session() {
        return actions.conversation().agentState().session().or(run::sessionId);
    }

    long outputLength() {
        return actions.conversation().outputLength();
    }

    @Override
    public void wake() {
        wake.release();
    }

    /**
     * Wakes the loop if a change may have come without an event. Thousands of idle attempts must cost little, so the sweep checks
     * only every fifth time whether an idle agent is alive: its death goes unreported only if its perch was stopped by a signal.
     */
    void checkIfSilent() {
        try {
            long before = written;
            written = directory.bytesWritten();
            boolean calm = checks++ % 5 == 0 ? idle.filter(Processes::alive).isPresent() : idle.isPresent();
            if (calm && written == before) return;
        } catch (IOException | UncheckedIOException e) {
            LOG.log(System.Logger.Level.DEBUG, "silence check failed; the next step reports the error", e);
        }
        wake();
    }

    /** The agent, if it runs, is not being stopped, and every change comes as an event or has a known deadline. */
    private Optional<ProcessId> idleAgent() {
        boolean hasEvents = watch.isPresent() && context.exitWatcher().immediate();
        boolean needsPolling = stop.isPresent() || actions.needsPolling();
        boolean ownBudgetOnly =
                context.config().dailyBudget().equals(DailyBudget.NONE); // else other runs may exhaust it
        return hasEvents && ownBudgetOnly && !needsPolling
                ? actions.started().map(StartedProcesses::agent)
                : Optional.empty();
    }

    /** Tells the loop that there are new messages to the agent. */
    void messagesArrived() {
        actions.conversation().messagesArrived();
        wake();
    }

    void stop(StopReason reason) {
        if (stop.isEmpty()) recovering = false; // it was requested while this daemon runs, so the grace period applies
        stopRequested(reason);
        actions.interrupt();
        wake();
    }

    /** Ends the loop without ending the attempt, which the next daemon re-attaches to. */
    void detach() {
        detached = true;
        actions.interrupt();
        wake();
    }

    void runLoop() {
        stepSafely();
        while (!isFinished() && !detached) {
            try {
                if (wake.tryAcquire(nanosToNextDeadline(), TimeUnit.NANOSECONDS)) wake.drainPermits();
            } catch (InterruptedException e) {
                return;
            }
            if (!detached) stepSafely();
        }
        if (!isFinished() && !fenced) actions.conversation().save();
    }

    @Override
    public void close() {
        watch.ifPresent(FileWatcher.FileWatch::close);
        try {
            actions.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "%s: output.md was not closed".formatted(run.id()), e);
        }
    }

    /** The time until the next deadline. */
    private long nanosToNextDeadline() {
        if (troubledAt != 0) return TROUBLE_PAUSE.toNanos();
        long now = context.clock().monotonicNanos();
        long due =
                Math.min(now + TimeUnit.HOURS.toNanos(1), actions.conversation().nextSaveAt());
        due = Math.min(due, stepper.due().orElse(due));
        return Math.max(1_000_000, due - now);
    }

    /** Takes one step. An error (a full disk, say) is logged, and the step is retried after a pause. */
    private void stepSafely() {
        idle = Optional.empty();
        troubledAt = 0;
        try {
            if (isFinished()) return;
            stepper.step();
            if (recovering) {
                recovering = false;
                wake();
            }
            if (troubledAt == 0) idle = idleAgent();
        } catch (IOException | RuntimeException e) {
            recordTrouble(e);
        }
    }

    @Override
    public void recordTrouble(Exception e) {
        LOG.log(System.Logger.Level.ERROR, "%s/%d: the step failed; will retry".formatted(run.id(), attempt), e);
        troubledAt = context.clock().monotonicNanos();
    }
}
