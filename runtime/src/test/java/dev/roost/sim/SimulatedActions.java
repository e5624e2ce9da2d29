package dev.roost.sim;

import dev.roost.agents.driver.Drivers;
import dev.roost.attempt.AttemptStateMachine;
import dev.roost.home.AttemptDirectory.StartRecord;
import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.model.Cause;
import dev.roost.model.EventKind;
import dev.roost.model.Evidence;
import dev.roost.model.Exit;
import dev.roost.model.Outcome;
import dev.roost.model.ProcessId;
import dev.roost.model.RunEvent;
import dev.roost.model.Status;
import dev.roost.model.StopReason;
import dev.roost.process.PerchLauncher;
import dev.roost.process.PerchLauncher.PerchState;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The effects of {@code AttemptLoop} and {@code AttemptFinisher} on a simulated machine. */
final class SimulatedActions implements AttemptStateMachine.AttemptActions {

    private static final int MAX_ATTEMPTS = 3;
    private static final int CHECKS_UNTIL_SIGNED = 3;

    private final Simulation simulation;
    private final SimulatedDaemon daemon;
    private final RunRecord run;
    private final SimulatedMachine machine;
    private final SimulatedMachine.Files files;
    private final SimulatedMachine.AgentBehavior behavior;
    private @Nullable AttemptStateMachine stateMachine;
    private Optional<Exit> earlierExit = Optional.empty();
    private boolean busy;

    SimulatedActions(Simulation simulation, SimulatedDaemon daemon, RunRecord run) {
        this.simulation = simulation;
        this.daemon = daemon;
        this.run = run;
        this.machine = simulation.machine;
        this.files = machine.files(run.id(), run.latest().n());
        this.behavior = simulation.users.behavior(run.id(), run.latest().n());
        files.watch(() -> daemon.poke(run.id()));
    }

    void attach(AttemptStateMachine stateMachine) {
        this.stateMachine = stateMachine;
    }

    RunRecord run() {
        return run;
    }

    void detach() {
        files.watch(null);
    }

    /** Whether a step is in progress: an attempt is supervised by one thread. */
    boolean isBusy() {
        return busy;
    }

    void busy(boolean busy) {
        this.busy = busy;
    }

    boolean hasBegun() {
        return files.spawns() > 0;
    }

    @Override
    public String bootId() {
        return simulation.simulatedFlaw == SimulatedFlaw.BOOT_IGNORED ? "boot-1" : machine.bootId();
    }

    @Override
    public boolean alive(ProcessId process) {
        simulation.meanwhile();
        return machine.alive(process);
    }

    @Override
    public PerchState found() throws IOException {
        int[] checks = {0};
        return PerchLauncher.find(files, (perch, boot) -> boot.equals(bootId()) && alive(perch), () -> {
            simulation.meanwhile();
            return checks[0]++ < CHECKS_UNTIL_SIGNED;
        });
    }

    @Override
    public Optional<StartRecord> start() {
        simulation.meanwhile();
        return files.start();
    }

    @Override
    public Optional<Exit> exit() {
        simulation.meanwhile();
        return simulation.simulatedFlaw == SimulatedFlaw.RECORD_BEFORE_PROCESS ? earlierExit : files.exit();
    }

    @Override
    public Optional<ProcessId> launch() {
        simulation.crashPoint();
        var perch = machine.perch(files, files.spawns() + 1, behavior);
        if (simulation.logging()) simulation.log("perch of %s is launched: %s".formatted(files, perch));
        simulation.crashPoint();
        return Optional.of(perch);
    }

    @Override
    public void watchPerch(ProcessId perch) {
        if (machine.find(perch).isEmpty()) daemon.poke(run.id());
    }

    @Override
    public void trackAgent(StartRecord start) {}

    @Override
    public void recordStarted(StartedProcesses startedProcesses) {}

    @Override
    public void noteReattached() {
        simulation.ledger.note(
                run.id(), run.latest().n(), EventKind.REATTACHED, "the daemon came back and found it alive");
    }

    @Override
    public void pumpOutput() {
        earlierExit = files.exit();
    }

    @Override
    public void resume(ProcessId perch) {}

    @Override
    public void enforceLimits() {}

    @Override
    public boolean hasFinalReport() {
        return false;
    }

    @Override
    public void updatePhase(ProcessId perch, StartedProcesses startedProcesses) {}

    @Override
    public void terminate(ProcessId agent) {
        machine.terminate(agent, behavior);
    }

    @Override
    public void killAllBut(ProcessId perch) {
        for (var process : machine.of(files)) if (!process.unseen && !process.id.equals(perch)) machine.end(process);
    }

    @Override
    public void kill(ProcessId perch) {
        machine.find(perch).ifPresent(machine::end);
    }

    @Override
    public List<String> killAll() {
        if (simulation.simulatedFlaw == SimulatedFlaw.LEAVES_ORPHANS) return List.of();
        for (var process : machine.of(files)) if (!process.unseen) machine.end(process);
        return List.of();
    }

    @Override
    public void exited(ProcessId perch, Exit exit, boolean moved) {
        simulation.crashPoint();
        simulation.meanwhile();
        killAll();
        RunEvent how = exit.status() == SimulatedMachine.RATE_LIMITED && run.resumeOnLoss()
                ? new RunEvent.Parked(simulation.now().plusSeconds(2))
                : new RunEvent.Exited(Drivers.of(run.driver()).outcomeOf(exit, Optional.empty(), true));
        finish(how, Evidence.none().withExit(exit));
    }

    @Override
    public void vanished(Cause cause, boolean moved, List<String> unkillable) {
        simulation.meanwhile();
        var how = simulation.simulatedFlaw == SimulatedFlaw.DEATH_IS_SUCCESS
                ? new RunEvent.Exited(new Outcome.Completed())
                : new RunEvent.Lost(cause, run.resumeOnLoss() && losses() + 1 < MAX_ATTEMPTS);
        finish(how, Evidence.none().withNote("gone"));
    }

    private long losses() {
        return simulation.ledger.runs().attempts(run.id()).stream()
                .filter(one -> one.turn() == run.latest().turn() && one.status() == Status.ABANDONED)
                .count();
    }

    @Override
    public void endUnstarted(StopReason stop) {
        finish(new RunEvent.Lost(Cause.PERCH_LOST, false), Evidence.none().withNote("never began"));
    }

    private void finish(RunEvent how, Evidence evidence) {
        var end = new AttemptEnd(
                how,
                simulation.now(),
                evidence,
                AttemptResult.none(),
                run.latest().progress());
        simulation.ledger.finish(run.id(), run.latest().n(), end);
    }

    @Override
    public boolean killFenced() {
        throw new IllegalStateException("there is one node");
    }

    @Override
    public void releaseGroup() {
        if (stateMachine == null) throw new IllegalStateException("no state machine is attached");
    }
}
