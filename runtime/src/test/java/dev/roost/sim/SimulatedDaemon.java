package dev.roost.sim;

import dev.roost.attempt.AttemptStateMachine;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Caps;
import dev.roost.model.Owner;
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

    private record SupervisedAttempt(AttemptStateMachine machine, SimulatedActions actions) {}

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
        if (running.size() > CAPS.machine()) simulation.broken("13: %d run at once".formatted(running.size()));
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
        } catch (IOException | RuntimeException e) {
            simulation.log("supervision of %s could not start: %s".formatted(id, e));
            owned.remove(id);
        }
    }

    private void supervise(RunRecord run, boolean fresh) throws IOException {
        var actions = new SimulatedActions(simulation, this, run);
        var machine = new AttemptStateMachine(ledger, simulation, run, actions);
        actions.attach(machine);
        var one = new SupervisedAttempt(machine, actions);
        if (!fresh || actions.hasBegun()) {
            if (machine.reattach()) stepSafely(one);
            machine.endRecovery();
        }
        ledger.runs().find(run.id()).flatMap(now -> now.latest().stopping()).ifPresent(machine::stop);
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
        if (one.machine.isFinished()) {
            supervised.remove(id);
            owned.remove(id);
            one.actions.detach();
            fillSoon();
        } else if (one.machine.due().isPresent()) {
            long wait = Math.max(Simulation.MILLI, one.machine.due().getAsLong() - simulation.monotonicNanos());
            simulation.inDaemon(this, wait, "due " + id, () -> {
                if (one.equals(supervised.get(id))) step(id);
            });
        }
    }

    private void stepSafely(SupervisedAttempt one) {
        if (one.machine.isFinished() || one.actions.isBusy()) return;
        try {
            one.actions.busy(true);
            one.machine.step();
        } catch (IOException | RuntimeException e) {
            simulation.log("a step failed and is retried: " + e);
            var id = one.actions.run().id();
            simulation.inDaemon(this, RETRY_DELAY, "retry step " + id, () -> step(id));
        } finally {
            one.actions.busy(false);
        }
    }

    void stop(RunId id, StopReason stop) {
        var one = supervised.get(id);
        if (one == null) return;
        one.machine.stop(stop);
        poke(id);
    }

    boolean isIdle() {
        return supervised.isEmpty();
    }
}
