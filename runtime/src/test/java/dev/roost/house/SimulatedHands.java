package dev.roost.house;

import dev.roost.agents.Drivers;
import dev.roost.ledger.Began;
import dev.roost.ledger.End;
import dev.roost.ledger.Result;
import dev.roost.ledger.Run;
import dev.roost.run.Cause;
import dev.roost.run.EventKind;
import dev.roost.run.Evidence;
import dev.roost.run.Exit;
import dev.roost.run.Outcome;
import dev.roost.run.ProcessId;
import dev.roost.run.RunEvent;
import dev.roost.run.Status;
import dev.roost.run.Stop;
import dev.roost.supervisor.AttemptDirectory.Start;
import dev.roost.supervisor.Perches;
import dev.roost.supervisor.Perches.Found;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What {@link AttemptLoop} and {@link Ending} do, to a simulated machine. */
final class SimulatedHands implements Course.Hands {

    private static final int MOST_ATTEMPTS = 3;
    private static final int SIGNING_TAKES = 3;

    private final Simulation simulation;
    private final SimulatedDaemon daemon;
    private final Run run;
    private final SimulatedMachine machine;
    private final SimulatedMachine.Files files;
    private final SimulatedMachine.Nature nature;
    private @Nullable Course course;
    private Optional<Exit> earlierLook = Optional.empty();
    private boolean busy;

    SimulatedHands(Simulation simulation, SimulatedDaemon daemon, Run run) {
        this.simulation = simulation;
        this.daemon = daemon;
        this.run = run;
        this.machine = simulation.machine;
        this.files = machine.files(run.id(), run.latest().n());
        this.nature = simulation.users.nature(run.id(), run.latest().n());
        files.watch(() -> daemon.poke(run.id()));
    }

    void lead(Course course) {
        this.course = course;
    }

    Run run() {
        return run;
    }

    void letGo() {
        files.watch(null);
    }

    /** In the middle of a step: whoever leads an attempt is one thread. */
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
        return simulation.flaw == Flaw.BOOT_IGNORED ? "boot-1" : machine.bootId();
    }

    @Override
    public boolean alive(ProcessId process) {
        simulation.meanwhile();
        return machine.alive(process);
    }

    @Override
    public Found found() throws IOException {
        int[] waited = {0};
        return Perches.find(files, (perch, boot) -> boot.equals(bootId()) && alive(perch), () -> {
            simulation.meanwhile();
            return waited[0]++ < SIGNING_TAKES;
        });
    }

    @Override
    public Optional<Start> start() {
        simulation.meanwhile();
        return files.start();
    }

    @Override
    public Optional<Exit> exit() {
        simulation.meanwhile();
        return simulation.flaw == Flaw.RECORD_BEFORE_PROCESS ? earlierLook : files.exit();
    }

    @Override
    public Optional<ProcessId> launch() {
        simulation.crashPoint();
        var perch = machine.perch(files, files.spawns() + 1, nature);
        if (simulation.telling()) simulation.tell("perch of %s is sent off: %s".formatted(files, perch));
        simulation.crashPoint();
        return Optional.of(perch);
    }

    @Override
    public void follow(ProcessId perch) {
        if (machine.find(perch).isEmpty()) daemon.poke(run.id());
    }

    @Override
    public void root(Start start) {}

    @Override
    public void began(Began began) {}

    @Override
    public void reattached() {
        simulation.ledger.note(
                run.id(), run.latest().n(), EventKind.REATTACHED, "the daemon came back and found it alive");
    }

    @Override
    public void carryOutput() {
        earlierLook = files.exit();
    }

    @Override
    public void resume(ProcessId perch) {}

    @Override
    public void look() {}

    @Override
    public boolean hasSaidItsLastWord() {
        return false;
    }

    @Override
    public void tend(ProcessId perch, Began began) {}

    @Override
    public void terminate(ProcessId agent) {
        machine.terminate(agent, nature);
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
        if (simulation.flaw == Flaw.LEAVES_ORPHANS) return List.of();
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
                : new RunEvent.Exited(Drivers.of(run.driver()).judge(exit, Optional.empty(), true));
        finish(how, Evidence.none().withExit(exit));
    }

    @Override
    public void vanished(Cause cause, boolean moved, List<String> unkillable) {
        simulation.meanwhile();
        var how = simulation.flaw == Flaw.DEATH_IS_SUCCESS
                ? new RunEvent.Exited(new Outcome.Completed())
                : new RunEvent.Lost(cause, run.resumeOnLoss() && losses() + 1 < MOST_ATTEMPTS);
        finish(how, Evidence.none().withNote("gone"));
    }

    private long losses() {
        return simulation.ledger.runs().attempts(run.id()).stream()
                .filter(one -> one.turn() == run.latest().turn() && one.status() == Status.ABANDONED)
                .count();
    }

    @Override
    public void neverBegan(Stop stop) {
        finish(new RunEvent.Lost(Cause.PERCH_LOST, false), Evidence.none().withNote("never began"));
    }

    private void finish(RunEvent how, Evidence evidence) {
        var end = new End(
                how, simulation.now(), evidence, Result.none(), run.latest().progress());
        simulation.ledger.finish(run.id(), run.latest().n(), end);
    }

    @Override
    public boolean perish() {
        throw new IllegalStateException("there is one node");
    }

    @Override
    public void over() {
        if (course == null) throw new IllegalStateException("nobody leads");
    }
}
