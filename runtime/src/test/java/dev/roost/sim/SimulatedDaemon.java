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

/** What {@code AttemptSupervisor} and {@link RoostService} do around the courses of attempts, on one thread. */
final class SimulatedDaemon {

    static final Caps CAPS = new Caps(2, 2, Caps.Overflow.QUEUE);
    private static final long SWEEP = 2 * Simulation.SECOND;
    private static final long TROUBLE_PAUSE = Simulation.SECOND;

    private final Simulation simulation;
    private final Ledger ledger;
    final WakeScheduler wakeScheduler;
    private final Set<RunId> taken = new HashSet<>();
    private final Map<RunId, Led> led = new LinkedHashMap<>();

    private record Led(AttemptStateMachine machine, SimulatedActions actions) {}

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
                    public void after(long nanos, Runnable what) {
                        simulation.inDaemon(SimulatedDaemon.this, nanos, "wake window closes", what);
                    }

                    @Override
                    public void close() {}
                });
    }

    void settle() {
        if (simulation.simulatedFlaw != SimulatedFlaw.NOTHING_INHERITED)
            for (var run : ledger.runs().running()) inherit(run.id());
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
                simulation.tell("sweep failed: " + e);
            }
            sweepLater();
        });
    }

    private void sweep() {
        var running = ledger.runs().running();
        if (running.size() > CAPS.machine()) simulation.broken("13: %d run at once".formatted(running.size()));
        if (simulation.simulatedFlaw != SimulatedFlaw.NOTHING_INHERITED)
            for (var run : running) if (!taken.contains(run.id())) inherit(run.id());
        fill();
        for (var id : List.copyOf(led.keySet())) step(id);
    }

    void committed(Set<RunId> runs) {
        for (var run : runs)
            if (simulation.oneIn(3))
                simulation.inDaemon(this, 0, "who waits for " + run + " looks", () -> simulation.users.look(run));
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
                simulation.inDaemon(this, 0, "begin " + run.id(), () -> take(run.id(), true));
        } catch (RuntimeException e) {
            simulation.tell("nothing was claimed: " + e);
        }
    }

    private void inherit(RunId id) {
        take(id, false);
    }

    private void take(RunId id, boolean fresh) {
        if (!taken.add(id)) return;
        try {
            var run = ledger.runs().find(id).orElseThrow();
            if (run.status() != Status.RUNNING) {
                taken.remove(id);
                return;
            }
            lead(run, fresh);
        } catch (IOException | RuntimeException e) {
            simulation.tell("%s could not be taken up: %s".formatted(id, e));
            taken.remove(id);
        }
    }

    private void lead(RunRecord run, boolean fresh) throws IOException {
        var actions = new SimulatedActions(simulation, this, run);
        var machine = new AttemptStateMachine(ledger, simulation, run, actions);
        actions.lead(machine);
        var one = new Led(machine, actions);
        if (!fresh || actions.hasBegun()) {
            if (machine.reattach()) stepSafely(one);
            machine.endRecovery();
        }
        ledger.runs().find(run.id()).flatMap(now -> now.latest().stopping()).ifPresent(machine::stop);
        led.put(run.id(), one);
        poke(run.id());
    }

    void poke(RunId id) {
        simulation.inDaemon(this, 0, "step " + id, () -> step(id));
    }

    private void step(RunId id) {
        var one = led.get(id);
        if (one == null) return;
        stepSafely(one);
        if (one.machine.isFinished()) {
            led.remove(id);
            taken.remove(id);
            one.actions.letGo();
            fillSoon();
        } else if (one.machine.due().isPresent()) {
            long wait = Math.max(Simulation.MILLI, one.machine.due().getAsLong() - simulation.monotonicNanos());
            simulation.inDaemon(this, wait, "due " + id, () -> {
                if (one.equals(led.get(id))) step(id);
            });
        }
    }

    private void stepSafely(Led one) {
        if (one.machine.isFinished() || one.actions.isBusy()) return;
        try {
            one.actions.busy(true);
            one.machine.step();
        } catch (IOException | RuntimeException e) {
            simulation.tell("trouble, will look again: " + e);
            var id = one.actions.run().id();
            simulation.inDaemon(this, TROUBLE_PAUSE, "look again at " + id, () -> step(id));
        } finally {
            one.actions.busy(false);
        }
    }

    void stop(RunId id, StopReason stop) {
        var one = led.get(id);
        if (one == null) return;
        one.machine.stop(stop);
        poke(id);
    }

    boolean isIdle() {
        return led.isEmpty();
    }
}
