package dev.roost.attempt;

import dev.roost.base.DiskErrors;
import dev.roost.base.RoostError;
import dev.roost.config.DailyBudget;
import dev.roost.engine.RuntimeContext;
import dev.roost.home.AttemptDirectory;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.model.EventKind;
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

/** Leads one attempt on its {@link AttemptStateMachine}, from its perch to its end, whatever wakes it: a file event, an exit, a stop, the sweep. */
final class AttemptLoop implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(AttemptLoop.class.getName());

    private static final Duration TROUBLE_PAUSE = Duration.ofSeconds(1);

    private final RuntimeContext context;
    private final RunRecord run;
    private final int attempt;
    private final AttemptDirectory directory;
    private final ProcessActions actions;
    private final AttemptStateMachine machine;
    private final Optional<FileWatcher.FileWatch> watch;
    private final Semaphore wake = new Semaphore(0);

    private long troubledAt;
    private volatile boolean detached;
    private volatile Optional<ProcessId> idle = Optional.empty(); // the agent, while only an event can be news of it
    private long written;
    private int patrols;

    private AttemptLoop(RuntimeContext context, RunRecord run) throws IOException {
        context.home().run(run.id()).create(); // somebody may have removed it; the row still needs its end
        this.context = context;
        this.run = run;
        this.attempt = run.latest().n();
        this.directory = context.home().run(run.id()).attempt(attempt);
        this.actions = new ProcessActions(context, run, directory, this);
        this.machine = new AttemptStateMachine(context.ledger(), context.clock(), run, actions);
        this.watch = watch();
        machine.started().ifPresent(actions::trackKnown);
    }

    private Optional<FileWatcher.FileWatch> watch() {
        try {
            return Optional.of(context.fileWatcher().watch(directory.path(), this::wake));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "no file events for %s, the sweep must do: %s".formatted(run.id(), e));
            return Optional.empty();
        }
    }

    /** For an attempt that was just claimed. */
    static AttemptLoop begin(RuntimeContext context, RunRecord run) throws IOException {
        // a ledger that was put back to an earlier time may call queued what has run since: it must not run twice
        return ready(context, run, loop -> {
            if (loop.directory.hasBegun()) loop.recover();
        });
    }

    /** For an attempt that this machine cannot begin. */
    static AttemptLoop refuse(RuntimeContext context, RunRecord run, RoostError because) throws IOException {
        return ready(context, run, loop -> loop.actions.refuse(because));
    }

    /** For an attempt that another daemon had begun: settled as far as it can be before this returns. */
    static AttemptLoop reattach(RuntimeContext context, RunRecord run) throws IOException {
        return ready(context, run, AttemptLoop::recover);
    }

    private interface LoopPreparation {
        void with(AttemptLoop loop) throws IOException;
    }

    /** One that could not be made ready is known to nobody else who would close it; it is tried again every other second. */
    private static AttemptLoop ready(RuntimeContext context, RunRecord run, LoopPreparation first) throws IOException {
        var loop = new AttemptLoop(context, run);
        try {
            first.with(loop);
            return loop;
        } catch (IOException | RuntimeException e) {
            loop.close();
            throw e;
        }
    }

    private void recover() throws IOException {
        if (context.cluster().isClustered() && LossPolicy.isMoving(context, run)) machine.move();
        if (machine.reattach()) stepSafely();
        machine.endRecovery();
    }

    boolean isHalted() {
        return machine.stopping().isPresent() || detached;
    }

    /** What could not be asked, read or written just now says nothing about the run. */
    static boolean isRetryable(Exception error) {
        if (DiskErrors.isFull(error)) return true;
        return error instanceof RoostError known
                && (known.code().startsWith("ledger_")
                        || known.code().startsWith("shelf_")
                        || known.code().equals("disk_full"));
    }

    AttemptStateMachine course() {
        return machine;
    }

    ProcessTree tree() {
        return actions.tree();
    }

    RunRecord run() {
        return run;
    }

    /** Whether that is still the attempt that this leads. */
    boolean isCurrent(RunRecord now) {
        return now.latest().n() == attempt && !now.status().ended();
    }

    /** Another node has it: its processes are ended, and nothing is said of it any more. */
    void fence() {
        machine.fence();
        actions.interrupt();
        wake();
    }

    boolean isFenced() {
        return machine.isFenced();
    }

    /** Whether it could go on elsewhere, and nobody has seen to that yet. */
    boolean canMove() {
        return machine.canMove() && actions.canBeMoved();
    }

    /** Its node is to be emptied: it is stopped, and its next attempt is begun by another node. */
    void move() {
        context.ledger()
                .note(
                        run.id(),
                        attempt,
                        EventKind.MOVING,
                        "its node is emptied; it is stopped here to go on elsewhere");
        machine.move();
        wake();
    }

    boolean isFinished() {
        return machine.isFinished();
    }

    /** The agent's own conversation, once it has one. */
    Optional<String> session() {
        return actions.conversation().agentState().session().or(run::sessionId);
    }

    long outputLength() {
        return actions.conversation().outputLength();
    }

    void wake() {
        wake.release();
    }

    /**
     * Pokes it if something may have happened that nobody told of. Thousands of calm ones must cost little, so their agents are
     * looked for more rarely: one that has gone is news by itself only if somebody has stopped its perch.
     */
    void checkIfSilent() {
        try {
            long before = written;
            written = directory.bytesWritten();
            boolean calmly = patrols++ % 5 == 0 ? idle.filter(Processes::alive).isPresent() : idle.isPresent();
            if (calmly && written == before) return;
        } catch (IOException | UncheckedIOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a step will say what is wrong", e);
        }
        wake();
    }

    /** Once it has begun, until it is to end: whatever is next, an event tells of it or it is known when. */
    private Optional<ProcessId> idleAgent() {
        boolean told = watch.isPresent() && context.exitWatcher().immediate();
        boolean expects = machine.stopping().isPresent() || actions.needsPolling();
        boolean alone = context.config().dailyBudget().equals(DailyBudget.NONE); // else others may use up what it has
        return told && alone && !expects ? machine.started().map(StartedProcesses::agent) : Optional.empty();
    }

    /** Somebody has written to the agent. */
    void messagesArrived() {
        actions.conversation().messagesArrived();
        wake();
    }

    void stop(StopReason stop) {
        machine.stop(stop);
        actions.interrupt();
        wake();
    }

    /** Lets go of the attempt and leaves it to the next daemon. */
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
        if (!isFinished() && !isFenced()) actions.conversation().save();
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

    /** Until the next moment at which something is due by itself. */
    private long nanosToNextDeadline() {
        long now = context.clock().monotonicNanos();
        long due = actions.due(now + TimeUnit.HOURS.toNanos(1));
        due = Math.min(due, machine.due().orElse(due));
        boolean troubled = troubledAt != 0 && now - troubledAt < TROUBLE_PAUSE.toNanos();
        return Math.max(troubled ? TROUBLE_PAUSE.toNanos() : 1_000_000, due - now);
    }

    /** What cannot be done now (a full disk, say) is done at the next waking; nothing is given up. */
    private void stepSafely() {
        idle = Optional.empty();
        troubledAt = 0;
        try {
            if (isFinished()) return;
            machine.step();
            if (troubledAt == 0) idle = idleAgent();
        } catch (IOException | RuntimeException e) {
            recordTrouble(e);
        }
    }

    void recordTrouble(Exception e) {
        LOG.log(System.Logger.Level.ERROR, "%s/%d: will look again".formatted(run.id(), attempt), e);
        troubledAt = context.clock().monotonicNanos();
    }
}
