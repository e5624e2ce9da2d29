package dev.roost.sim;

import dev.roost.home.AttemptDirectory.StartRecord;
import dev.roost.model.Exit;
import dev.roost.model.ProcessId;
import dev.roost.model.RunId;
import dev.roost.sim.SimulatedBehavior.Act;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Simulated processes with pids, perches, agents and files; synced files survive a power failure. */
final class SimulatedMachine {

    private static final int PIDS = 12; // few, so that they are reused soon

    static final class SimulatedProcess {
        final ProcessId id;
        final @Nullable SimulatedFiles of;

        @Nullable
        Runnable onDeath;

        boolean unseen; // just launched: nothing shows yet to which attempt it belongs

        SimulatedProcess(ProcessId id, @Nullable SimulatedFiles of) {
            this.id = id;
            this.of = of;
        }
    }

    private final Simulation simulation;
    private final Map<Long, SimulatedProcess> table = new HashMap<>();
    private final Map<RunId, List<SimulatedFiles>> attempts = new HashMap<>();
    private int boots = 1;
    private long ticks;

    SimulatedMachine(Simulation simulation) {
        this.simulation = simulation;
    }

    String bootId() {
        return "boot-" + boots;
    }

    SimulatedFiles files(RunId run, int attempt) {
        var all = attempts.computeIfAbsent(run, _ -> new ArrayList<>());
        while (all.size() < attempt) all.add(new SimulatedFiles(simulation, run, all.size() + 1));
        return all.get(attempt - 1);
    }

    SimulatedFiles latest(RunId run) {
        return files(run, Math.max(1, attempts.getOrDefault(run, List.of()).size()));
    }

    SimulatedProcess start(@Nullable SimulatedFiles of) {
        long pid;
        do pid = 100L + simulation.random.nextInt(PIDS + table.size());
        while (table.containsKey(pid));
        return start(pid, of);
    }

    private SimulatedProcess start(long pid, @Nullable SimulatedFiles of) {
        var process = new SimulatedProcess(new ProcessId(pid, ++ticks), of);
        table.put(pid, process);
        return process;
    }

    boolean isThere(SimulatedProcess process) {
        return table.get(process.id.pid()) == process;
    }

    /** Whether the daemon considers the process alive. */
    boolean alive(ProcessId id) {
        var process = table.get(id.pid());
        if (process == null) return false;
        return simulation.simulatedFlaw == SimulatedFlaw.PID_ALONE || process.id.equals(id);
    }

    Optional<SimulatedProcess> find(ProcessId id) {
        return Optional.ofNullable(table.get(id.pid())).filter(process -> process.id.equals(id));
    }

    void end(SimulatedProcess process) {
        if (!table.remove(process.id.pid(), process)) return;
        if (simulation.has(Simulation.Trouble.PIDS_REUSED) && simulation.oneIn(2)) start(process.id.pid(), null);
        if (process.onDeath != null) process.onDeath.run();
        if (process.of != null) process.of.notifyWatcher();
    }

    List<SimulatedProcess> of(SimulatedFiles files) {
        var all = new ArrayList<SimulatedProcess>();
        for (var process : table.values()) if (process.of == files) all.add(process);
        return all;
    }

    /** Whether a launched perch has not created its begun file yet. */
    boolean isAPerchStarting() {
        for (var process : table.values()) if (process.unseen) return true;
        return false;
    }

    void reboot() {
        boots++;
        ticks = 0; // so that a process after the reboot may have the id of one before it
        for (var process : table.values())
            if (process.of != null && process.of.startedAs(process.id)) process.of.cutOff = true;
        table.clear();
        attempts.values().forEach(all -> all.forEach(SimulatedFiles::powerFails));
    }

    /** Launches a perch; its further steps are scheduled. */
    ProcessId perch(SimulatedFiles files, int spawn, SimulatedBehavior behavior) {
        var perch = start(files);
        perch.unseen = true;
        long slow = simulation.oneIn(4) ? simulation.randomBelow(2 * Simulation.SECOND) : 0; // a loaded machine
        on(perch, slow, "perch of " + files + " makes begun." + spawn, () -> {
            perch.unseen = false;
            if (!files.begin(spawn)) {
                end(perch);
                return;
            }
            on(perch, "perch of " + files + " signs", () -> {
                files.sign(spawn, perch.id, bootId());
                on(perch, "perch of " + files + " forks", () -> agent(files, perch, behavior));
            });
        });
        return perch.id;
    }

    private void agent(SimulatedFiles files, SimulatedProcess perch, SimulatedBehavior behavior) {
        var agent = start(files);
        files.behavior = behavior;
        agent.onDeath = () -> died(files, perch);
        on(agent, "start of " + files + " is recorded", () -> {
            files.start = Optional.of(new StartRecord(perch.id, agent.id, bootId(), false));
            files.activeAt = simulation.awake();
            files.notifyWatcher();
            on(agent, "first instruction of " + files, () -> {
                if (behavior.setupFails()) {
                    files.setupFailed = true;
                    exit(files, agent, new Exit(1, false));
                    return;
                }
                files.agentBegins();
                if (behavior.leavesChild()) start(files);
                play(files, agent, perch, behavior, 0);
            });
        });
    }

    private void play(
            SimulatedFiles files, SimulatedProcess agent, SimulatedProcess perch, SimulatedBehavior behavior, int at) {
        if (!isThere(agent)) return;
        if (at == behavior.acts().size()) {
            files.outOfMemory = behavior.outOfMemory();
            if (behavior.killsItsPerch()) end(perch);
            exit(files, agent, behavior.exit());
            return;
        }
        Runnable next = () -> play(files, agent, perch, behavior, at + 1);
        switch (behavior.acts().get(at)) {
            case Act.BeSilent(var nanos) -> simulation.later(nanos, "agent of " + files + " works", next);
            case Act.Speak _ -> {
                files.speak();
                next.run();
            }
            case Act.UseTokens(var tokens) -> {
                files.useTokens(tokens, SimulatedUsers.MAX_TOKENS);
                next.run();
            }
            case Act.Ask _ -> files.ask(() -> simulation.later(Simulation.MILLI, files + " goes on", next));
            case Act.Report(var report, var reset) -> {
                files.report = Optional.of(report);
                if (!reset.isZero()) files.reset = Optional.of(simulation.now().plus(reset));
                files.speak();
                next.run();
            }
            case Act.StayForever _ -> {}
        }
    }

    private void exit(SimulatedFiles files, SimulatedProcess agent, Exit status) {
        files.status = status;
        end(agent);
    }

    private void died(SimulatedFiles files, SimulatedProcess perch) {
        files.agentIsDead();
        var status = files.status == null ? new Exit(137, true) : files.status;
        on(perch, "perch of " + files + " records " + status, () -> {
            files.exit = Optional.of(status);
            files.recorded = files.exit;
            files.recordedAt = Optional.of(simulation.now());
            files.notifyWatcher();
            on(perch, "perch of " + files + " exits", () -> end(perch));
        });
    }

    void terminate(ProcessId id) {
        find(id).ifPresent(process -> {
            if (process.of == null || process.of.behavior == null || process.of.behavior.ignoresTerm()) return;
            process.of.status = new Exit(143, true);
            process.of.endedByDaemon = true;
            end(process);
        });
    }

    void kill(SimulatedProcess process) {
        if (process.of != null && process.onDeath != null) process.of.endedByDaemon = true;
        end(process);
    }

    /** Schedules the next step of a process, if it is still alive then. */
    private void on(SimulatedProcess process, String what, Runnable work) {
        on(process, 0, what, work);
    }

    private void on(SimulatedProcess process, long slow, String what, Runnable work) {
        simulation.later(slow + simulation.randomBelow(40 * Simulation.MILLI), what, () -> {
            if (isThere(process)) work.run();
        });
    }
}
