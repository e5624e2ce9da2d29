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
 * Decides what becomes of one attempt. At each step it looks at the whole situation anew, so that no event is needed twice
 * and none that was missed is missed for long. It touches no process and no file: its {@link Hands} do.
 */
public final class AttemptStateMachine {

    /** How long a perch that has recorded the exit may take to go. */
    private static final Duration PERCH_GRACE = Duration.ofSeconds(1);

    /** What can be seen of an attempt, and done about it. */
    public interface AttemptActions extends StopEscalation.ProcessSignals {

        String bootId();

        /** Whether exactly this process, not another with its pid, is there. */
        boolean alive(ProcessId process);

        /** What another daemon left of it. */
        PerchState found() throws IOException;

        Optional<StartRecord> start() throws IOException;

        Optional<Exit> exit() throws IOException;

        /** Empty if no perch was sent off after all. */
        Optional<ProcessId> launch() throws IOException;

        /** To be told of its end. */
        void watchPerch(ProcessId perch);

        /** Its agent is that, and here. */
        void trackAgent(StartRecord start);

        /** Time is counted, and the ledger is about to know. */
        void recordStarted(StartedProcesses startedProcesses);

        /** It was found alive by another daemon than the one that launched it. */
        void noteReattached();

        void pumpOutput() throws IOException;

        /** One that is stopped could record neither beginning nor end. */
        void resume(ProcessId perch);

        /** Before a living one is pressed to end, or else tended. */
        void enforceLimits() throws IOException;

        boolean hasFinalReport();

        void updatePhase(ProcessId perch, StartedProcesses startedProcesses) throws IOException;

        /** Kills whatever is left of it; what could not be. */
        List<String> killAll();

        void exited(ProcessId perch, Exit exit, boolean moved) throws IOException;

        /** It left no record of its end. */
        void vanished(Cause cause, boolean moved, List<String> unkillable) throws IOException;

        void endUnstarted(StopReason stop) throws IOException;

        /** True if nothing is left of what is another node's by now. */
        boolean killFenced();

        void releaseGroup();
    }

    private final Ledger ledger;
    private final Clock clock;
    private final RunRecord run;
    private final int attempt;
    private final AttemptActions hands;
    private final StopEscalation pressure;

    private Optional<ProcessId> perch = Optional.empty();
    private Optional<StartedProcesses> started;
    private boolean rebooted;
    private boolean recovering; // a daemon that has just come back is not patient with what it was told to stop
    private volatile Optional<StopReason> stopping;
    private long exitSeenAt;
    private volatile boolean finished;
    private volatile boolean moving; // stopped here, to go on elsewhere
    private volatile boolean fenced; // to another node: what is here of it has no business any more

    public AttemptStateMachine(Ledger ledger, Clock clock, RunRecord run, AttemptActions hands) {
        this.ledger = ledger;
        this.clock = clock;
        this.run = run;
        this.attempt = run.latest().n();
        this.hands = hands;
        this.pressure = new StopEscalation(clock, hands);
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
        hands.releaseGroup();
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

    /** Whether nobody has seen to it yet that it goes on elsewhere, and it has something to go on with. */
    boolean canMove() {
        return !moving && !fenced && !finished && started.isPresent() && stopping.isEmpty();
    }

    /** The next moment at which something is due by itself. */
    public OptionalLong due() {
        if (exitSeenAt == 0) return pressure.due();
        long goes = exitSeenAt + PERCH_GRACE.toNanos();
        return OptionalLong.of(Math.min(goes, pressure.due().orElse(goes)));
    }

    /** For what another daemon had begun; true if a step is to follow at once. */
    public boolean reattach() throws IOException {
        recovering = true;
        // what the ledger knows is durable; the perch's own files may have been lost with the machine's power
        PerchState found = started.isPresent()
                ? new PerchState.PerchStarted(
                        started.get().perch(), started.get().bootId())
                : hands.found();
        switch (found) {
            case PerchState.PerchNeverStarted _ ->
                hands.killAll(); // of a perch that was stopped half-way; the first step launches another
            case PerchState.PerchStarted(var perch, var bootId) -> {
                rebooted = !bootId.equals(hands.bootId());
                var exit =
                        hands.exit(); // what fails is done again from the beginning, so the perch is followed after it
                watchPerch(perch);
                if (!isPerchGone() && exit.isEmpty()) hands.noteReattached();
            }
        }
        // a worktree may take long to make: whoever leads does that, and the daemon's start does not wait for it
        return perch.isPresent() || stopping.isPresent() || run.work().isEmpty();
    }

    public void endRecovery() {
        recovering = false;
    }

    public void step() throws IOException {
        if (fenced) {
            if (hands.killFenced()) finished();
            return;
        }
        if (perch.isEmpty()) {
            if (stopping.isPresent()) endUnstarted();
            else launch();
            return;
        }
        if (started.isEmpty()) recordStart();
        hands.pumpOutput();
        boolean gone = isPerchGone(); // looked at before the record: a perch writes it before it goes
        var exit = hands.exit();
        if (exit.isPresent()) {
            if (exitSeenAt == 0) exitSeenAt = clock.monotonicNanos();
            if (gone || clock.monotonicNanos() - exitSeenAt >= PERCH_GRACE.toNanos()) exited(exit.get());
        } else if (gone) {
            vanished();
        } else {
            boolean agentLives =
                    started.filter(known -> hands.alive(known.agent())).isPresent();
            if (!agentLives) hands.resume(perch.get());
            stepRunning();
        }
    }

    private void stepRunning() throws IOException {
        hands.enforceLimits();
        boolean goes = moving && !hands.hasFinalReport(); // who has said his last word may as well end here
        if (stopping.isPresent() || goes) pressure.escalate(perch.orElseThrow(), started, recovering);
        else if (started.isPresent()) hands.updatePhase(perch.orElseThrow(), started.get());
    }

    private void launch() throws IOException {
        rebooted = false;
        hands.launch().ifPresent(this::watchPerch);
    }

    private void watchPerch(ProcessId process) {
        perch = Optional.of(process);
        if (!rebooted) hands.watchPerch(process);
    }

    private boolean isPerchGone() {
        return rebooted || (perch.isPresent() && !hands.alive(perch.get()));
    }

    private void recordStart() throws IOException {
        var start = hands.start();
        if (start.isEmpty()) return;
        var now = new StartedProcesses(
                start.get().perch(),
                start.get().agent(),
                start.get().bootId(),
                clock.monotonicNanos(),
                clock.sleptNanos());
        if (!rebooted) hands.trackAgent(start.get());
        hands.recordStarted(now);
        ledger.recordStarted(run.id(), attempt, now);
        started = Optional.of(now);
    }

    private void exited(Exit exit) throws IOException {
        hands.exited(perch.orElseThrow(), exit, moving && stopping.isEmpty());
        finished();
    }

    private void vanished() throws IOException {
        var unkillable = hands.killAll();
        if (started.isEmpty()) recordStart();
        if (started.isEmpty()) {
            if (stopping.isPresent()) endUnstarted();
            else if (recovering && run.work().isPresent()) perch = Optional.empty(); // the next step launches
            else launch(); // the agent's first instruction was never reached, so this is no second run
            return;
        }
        hands.vanished(rebooted ? Cause.HOST_REBOOT : Cause.PERCH_LOST, moving && stopping.isEmpty(), unkillable);
        finished();
    }

    private void endUnstarted() throws IOException {
        hands.endUnstarted(stopping.orElseThrow());
        finished();
    }
}
