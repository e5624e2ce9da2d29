package dev.roost.attempt;

import dev.roost.base.Clock;
import dev.roost.home.AttemptDirectory.StartRecord;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.model.ProcessId;
import dev.roost.model.StopReason;
import dev.roost.process.PerchLauncher.PerchState;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Decides the next action for one attempt. Each step re-reads the full state instead of reacting to single events, so a missed
 * or repeated event does no harm. It touches no process and no file; {@link AttemptActions} does.
 */
public final class AttemptStateMachine {

    /** How long a perch may live after it has recorded the exit. */
    private static final Duration PERCH_GRACE = Duration.ofSeconds(1);

    /** Observes the processes and files of an attempt and acts on them. */
    public interface AttemptActions extends StopEscalation.ProcessSignals {

        String bootId();

        /** Whether exactly this process is alive, and not another one with the same pid. */
        boolean alive(ProcessId process);

        /** The state in which an earlier daemon left the perch. */
        PerchState found() throws IOException;

        Optional<StartRecord> start() throws IOException;

        Optional<Exit> exit() throws IOException;

        /** Launches a perch; empty if the launch was halted or failed. */
        Optional<ProcessId> launch() throws IOException;

        /** Watches the perch, so that its exit wakes the loop. */
        void watchPerch(ProcessId perch);

        /** Makes the agent of the start record the root of the process tree. */
        void trackAgent(StartRecord start);

        /** Starts counting the active time; called just before the ledger records the start. */
        void recordStarted(StartedProcesses startedProcesses);

        /** Notes that a restarted daemon found the attempt alive. */
        void noteReattached();

        void pumpOutput() throws IOException;

        /** Sends SIGCONT to the perch: a stopped perch can record neither start nor exit. */
        void resume(ProcessId perch);

        /** Checks the caps of a live attempt; called before it is escalated or its phase is updated. */
        void enforceLimits() throws IOException;

        boolean hasFinalReport();

        void updatePhase(ProcessId perch, StartedProcesses startedProcesses) throws IOException;

        /** Kills all processes of the attempt; returns descriptions of those that survived. */
        List<String> killAll();

        void exited(ProcessId perch, Exit exit, boolean moved) throws IOException;

        /** Ends an attempt whose perch left no exit record. */
        void vanished(Cause cause, boolean moved, List<String> unkillable) throws IOException;

        void endUnstarted(StopReason stop) throws IOException;

        /** Kills the processes of an attempt that belongs to another node; true if none is left. */
        boolean killFenced();

        void releaseGroup();
    }

    private final Ledger ledger;
    private final Clock clock;
    private final RunRecord run;
    private final int attempt;
    private final AttemptActions actions;
    private final StopEscalation escalation;

    private Optional<ProcessId> perch = Optional.empty();
    private Optional<StartedProcesses> started;
    private boolean rebooted;
    private boolean recovering; // a restarted daemon kills a stopped attempt without the grace period
    private volatile Optional<StopReason> stopping;
    private long exitSeenAt;
    private volatile boolean finished;
    private volatile boolean moving; // stopped here, to continue on another node
    private volatile boolean fenced; // another node has the attempt; its processes here must be killed

    public AttemptStateMachine(Ledger ledger, Clock clock, RunRecord run, AttemptActions actions) {
        this.ledger = ledger;
        this.clock = clock;
        this.run = run;
        this.attempt = run.latest().n();
        this.actions = actions;
        this.escalation = new StopEscalation(clock, actions);
        this.started = run.latest().began();
        this.stopping = run.latest().stopping();
    }

    Optional<StartedProcesses> started() {
        return started;
    }

    Optional<StopReason> stopping() {
        return stopping;
    }

    public void stop(StopReason stop) {
        stopping = Optional.of(stop);
    }

    boolean isRecovering() {
        return recovering;
    }

    public boolean isFinished() {
        return finished;
    }

    void finished() {
        finished = true;
        actions.releaseGroup();
    }

    boolean isFenced() {
        return fenced;
    }

    void fence() {
        fenced = true;
    }

    void move() {
        moving = true;
    }

    /** Whether the attempt runs and is neither stopped, fenced nor moving already. */
    boolean canMove() {
        return !moving && !fenced && !finished && started.isPresent() && stopping.isEmpty();
    }

    /** The next deadline of the attempt itself. */
    public OptionalLong due() {
        if (exitSeenAt == 0) return escalation.due();
        long goes = exitSeenAt + PERCH_GRACE.toNanos();
        return OptionalLong.of(Math.min(goes, escalation.due().orElse(goes)));
    }

    /** Re-attaches to an attempt that an earlier daemon started; true if a step must follow at once. */
    public boolean reattach() throws IOException {
        recovering = true;
        // the ledger is durable; the perch's files may have been lost in a power failure
        PerchState found = started.isPresent()
                ? new PerchState.PerchStarted(
                        started.get().perch(), started.get().bootId())
                : actions.found();
        switch (found) {
            case PerchState.PerchNeverStarted _ ->
                actions.killAll(); // the perch died half-way; the first step launches another
            case PerchState.PerchStarted(var perch, var bootId) -> {
                rebooted = !bootId.equals(actions.bootId());
                var exit = actions.exit(); // read before the perch is watched: if reading fails, recovery starts over
                watchPerch(perch);
                if (!isPerchGone() && exit.isEmpty()) actions.noteReattached();
            }
        }
        // making a worktree may take long: the loop does it, so that the daemon's start does not wait for it
        return perch.isPresent() || stopping.isPresent() || run.work().isEmpty();
    }

    public void endRecovery() {
        recovering = false;
    }

    public void step() throws IOException {
        if (fenced) {
            if (actions.killFenced()) finished();
            return;
        }
        if (perch.isEmpty()) {
            if (stopping.isPresent()) endUnstarted();
            else launch();
            return;
        }
        if (started.isEmpty()) recordStart();
        actions.pumpOutput();
        boolean gone =
                isPerchGone(); // checked before the exit record is read: a perch writes the record before it exits
        var exit = actions.exit();
        if (exit.isPresent()) {
            if (exitSeenAt == 0) exitSeenAt = clock.monotonicNanos();
            if (gone || clock.monotonicNanos() - exitSeenAt >= PERCH_GRACE.toNanos()) exited(exit.get());
        } else if (gone) {
            vanished();
        } else {
            boolean agentLives =
                    started.filter(known -> actions.alive(known.agent())).isPresent();
            if (!agentLives) actions.resume(perch.get());
            stepRunning();
        }
    }

    private void stepRunning() throws IOException {
        actions.enforceLimits();
        boolean goes = moving && !actions.hasFinalReport(); // after its final report the agent may end here
        if (stopping.isPresent() || goes) escalation.escalate(perch.orElseThrow(), started, recovering);
        else if (started.isPresent()) actions.updatePhase(perch.orElseThrow(), started.get());
    }

    private void launch() throws IOException {
        rebooted = false;
        actions.launch().ifPresent(this::watchPerch);
    }

    private void watchPerch(ProcessId process) {
        perch = Optional.of(process);
        if (!rebooted) actions.watchPerch(process);
    }

    private boolean isPerchGone() {
        return rebooted || (perch.isPresent() && !actions.alive(perch.get()));
    }

    private void recordStart() throws IOException {
        var start = actions.start();
        if (start.isEmpty()) return;
        var now = new StartedProcesses(
                start.get().perch(),
                start.get().agent(),
                start.get().bootId(),
                clock.monotonicNanos(),
                clock.sleptNanos());
        if (!rebooted) actions.trackAgent(start.get());
        actions.recordStarted(now);
        ledger.recordStarted(run.id(), attempt, now);
        started = Optional.of(now);
    }

    private void exited(Exit exit) throws IOException {
        actions.exited(perch.orElseThrow(), exit, moving && stopping.isEmpty());
        finished();
    }

    private void vanished() throws IOException {
        var unkillable = actions.killAll();
        if (started.isEmpty()) recordStart();
        if (started.isEmpty()) {
            if (stopping.isPresent()) endUnstarted();
            else if (recovering && run.work().isPresent()) perch = Optional.empty(); // the next step launches
            else launch(); // the agent's first instruction was never reached, so this is no second run
            return;
        }
        actions.vanished(rebooted ? Cause.HOST_REBOOT : Cause.PERCH_LOST, moving && stopping.isEmpty(), unkillable);
        finished();
    }

    private void endUnstarted() throws IOException {
        actions.endUnstarted(stopping.orElseThrow());
        finished();
    }
}
