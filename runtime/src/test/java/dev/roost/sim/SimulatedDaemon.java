package dev.roost.sim;

import dev.roost.attempt.core.AttemptStateMachine;
import dev.roost.attempt.core.AttemptStepper;
import dev.roost.chaos.promise.Promise;
import dev.roost.chaos.promise.RunFact;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Caps;
import dev.roost.model.Owner;
import dev.roost.model.Phase;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.model.StopReason;
import dev.roost.service.RoostService;
import dev.roost.sessions.WakeScheduler;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The work of {@code AttemptSupervisor} and {@link RoostService} around the attempts' state machines, on one thread. */
final class SimulatedDaemon {

    static final Caps CAPS = new Caps(2, 2, Caps.Overflow.QUEUE);
    private static final long SWEEP = 2 * Simulation.SECOND;
    private static final long RETRY_DELAY = Simulation.SECOND;

    private final Simulation simulation;
    private final Ledger ledger;
    final WakeScheduler wakeScheduler;
    private final Set<RunId> owned = new HashSet<>();
    private final Map<RunId, SupervisedAttempt> supervised = new LinkedHashMap<>();
    private final Set<SupervisedAttempt> busy = new HashSet<>();

    private record SupervisedAttempt(AttemptStepper stepper, SimulatedActions actions) {}

    SimulatedDaemon(Simulation simulation) {
        this.simulation = simulation;
        this.ledger = simulation.ledger;
        this.wakeScheduler = new WakeScheduler(
                ledger,
                simulation,
                Simulation.WAKING,
                harness -> simulation.simulatedFlaw == SimulatedFlaw.WAKES_BLINDLY
                        || (harness.bootId().equals(simulation.machine.bootId())
                                && simulation.machine.alive(harness.id())),
                new WakeScheduler.WakeTimer() {
                    @Override
                    public void after(long nanos, Runnable task) {
                        simulation.inDaemon(SimulatedDaemon.this, nanos, "wake window closes", task);
                    }

                    @Override
                    public void close() {}
                });
    }

    void recover() {
        if (simulation.simulatedFlaw != SimulatedFlaw.NOTHING_INHERITED)
            for (var run : ledger.runs().running()) recoverAttempt(run.id());
        for (var notice : ledger.notices().pending(Optional.empty())) wakeScheduler.noticeAdded(notice.owner());
        fill();
        sweepLater();
    }

    private void sweepLater() {
        if (simulation.simulatedFlaw == SimulatedFlaw.NO_SWEEP) return;
        simulation.inDaemon(this, SWEEP, "sweep", () -> {
            try {
                sweep();
            } catch (RuntimeException e) {
                simulation.log("sweep failed: " + e);
            }
            sweepLater();
        });
    }

    private void sweep() {
        var running = ledger.runs().running();
        simulation.see(new RunFact.Amount(Promise.BOUNDED, "", "running runs", running.size(), CAPS.machine()));
        if (simulation.simulatedFlaw != SimulatedFlaw.NOTHING_INHERITED)
            for (var run : running) if (!owned.contains(run.id())) recoverAttempt(run.id());
        fill();
        for (var id : List.copyOf(supervised.keySet())) step(id);
    }

    void committed(Set<RunId> runs) {
        for (var run : runs)
            if (simulation.oneIn(3))
                simulation.inDaemon(this, 0, "a user reads " + run, () -> simulation.users.observe(run));
    }

    void noticed(Owner owner) {
        wakeScheduler.noticeAdded(owner);
    }

    void fillSoon() {
        simulation.inDaemon(this, 0, "fill", this::fill);
    }

    private void fill() {
        try {
            for (var run : ledger.claim(CAPS, 8))
                simulation.inDaemon(this, 0, "begin " + run.id(), () -> takeOwnership(run.id(), true));
        } catch (RuntimeException e) {
            simulation.log("the claim failed: " + e);
        }
    }

    private void recoverAttempt(RunId id) {
        takeOwnership(id, false);
    }

    private void takeOwnership(RunId id, boolean fresh) {
        if (!owned.add(id)) return;
        try {
            var run = ledger.runs().find(id).orElseThrow();
            if (run.status() != Status.RUNNING) {
                owned.remove(id);
                return;
            }
            supervise(run, fresh);
        } catch (RuntimeException e) {
            simulation.log("supervision of %s could not start: %s".formatted(id, e));
            owned.remove(id);
        }
    }

    private void supervise(RunRecord run, boolean fresh) {
        var actions = new SimulatedActions(simulation, this, run, !fresh);
        var machine =
                new AttemptStateMachine(actions.rules(), simulation.monotonicNanos(), actions.phase() == Phase.QUIET);
        var one = new SupervisedAttempt(new AttemptStepper(machine, actions), actions);
        if (actions.isRecovering()) stepSafely(one);
        if (simulation.simulatedFlaw != SimulatedFlaw.STOP_FORGOTTEN)
            ledger.runs().find(run.id()).flatMap(now -> now.latest().stopping()).ifPresent(actions::stop);
        supervised.put(run.id(), one);
        poke(run.id());
    }

    void poke(RunId id) {
        simulation.inDaemon(this, 0, "step " + id, () -> step(id));
    }

    private void step(RunId id) {
        var one = supervised.get(id);
        if (one == null) return;
        stepSafely(one);
        if (one.stepper.isFinished()) {
            supervised.remove(id);
            owned.remove(id);
            one.actions.detach();
            fillSoon();
        } else if (one.stepper.due().isPresent()) {
            long wait = Math.max(Simulation.MILLI, one.stepper.due().getAsLong() - simulation.monotonicNanos());
            simulation.inDaemon(this, wait, "due " + id, () -> {
                if (one.equals(supervised.get(id))) step(id);
            });
        }
    }

    /** An attempt is supervised by one thread, so no step begins while another is in progress. */
    private void stepSafely(SupervisedAttempt one) {
        if (one.stepper.isFinished() || !busy.add(one)) return;
        try {
            one.stepper.step();
            if (one.actions.isRecovering()) {
                one.actions.endRecovery();
                poke(one.actions.run().id());
            }
        } catch (IOException | RuntimeException e) {
            simulation.log("a step failed and is retried: " + e);
            var id = one.actions.run().id();
            simulation.inDaemon(this, RETRY_DELAY, "retry step " + id, () -> step(id));
        } finally {
            busy.remove(one);
        }
    }

    void stop(RunId id, StopReason stop) {
        var one = supervised.get(id);
        if (one == null) return;
        one.actions.stop(stop);
        poke(id);
    }

    /** The operator drains the node. */
    void move(RunId id) {
        var one = supervised.get(id);
        if (one == null) return;
        one.actions.move();
        poke(id);
    }

    boolean isIdle() {
        return supervised.isEmpty();
    }
}
