package dev.roost.sim;

import dev.roost.home.AttemptDirectory.StartRecord;
import dev.roost.home.BegunRecord;
import dev.roost.home.PerchMarks;
import dev.roost.model.Exit;
import dev.roost.model.ProcessId;
import dev.roost.model.RunId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Simulated processes with pids, perches, agents and files; synced files survive a power failure. */
final class SimulatedMachine {

    private static final int PIDS = 12; // few, so that they are reused soon

    static final int RATE_LIMITED = 75;

    /** What a simulated agent does. */
    record AgentBehavior(long works, int status, boolean dies, boolean ignoresTerm, boolean leavesChild) {}

    static final class SimulatedProcess {
        final ProcessId id;
        final @Nullable Files of;

        @Nullable
        Runnable onDeath;

        boolean unseen; // just launched: nothing shows yet to which attempt it belongs

        SimulatedProcess(ProcessId id, @Nullable Files of) {
            this.id = id;
            this.of = of;
        }
    }

    private final Simulation simulation;
    private final Map<Long, SimulatedProcess> table = new HashMap<>();
    private final Map<RunId, List<Files>> attempts = new HashMap<>();
    private int boots = 1;
    private long ticks;

    SimulatedMachine(Simulation simulation) {
        this.simulation = simulation;
    }

    String bootId() {
        return "boot-" + boots;
    }

    Files files(RunId run, int attempt) {
        var all = attempts.computeIfAbsent(run, _ -> new ArrayList<>());
        while (all.size() < attempt) all.add(new Files(this, run, all.size() + 1));
        return all.get(attempt - 1);
    }

    Files latest(RunId run) {
        return files(run, Math.max(1, attempts.getOrDefault(run, List.of()).size()));
    }

    SimulatedProcess start(@Nullable Files of) {
        long pid;
        do pid = 100L + simulation.random.nextInt(PIDS + table.size());
        while (table.containsKey(pid));
        return start(pid, of);
    }

    private SimulatedProcess start(long pid, @Nullable Files of) {
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

    List<SimulatedProcess> of(Files files) {
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
        attempts.values().forEach(all -> all.forEach(Files::powerFails));
    }

    /** Launches a perch; its further steps are scheduled. */
    ProcessId perch(Files files, int spawn, AgentBehavior behavior) {
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

    private void agent(Files files, SimulatedProcess perch, AgentBehavior behavior) {
        var agent = start(files);
        files.agent = agent;
        agent.onDeath = () -> died(files, perch);
        on(agent, "start of " + files + " is recorded", () -> {
            files.start = Optional.of(new StartRecord(perch.id, agent.id, bootId(), false));
            files.notifyWatcher();
            on(agent, "first instruction of " + files, () -> {
                files.instructions++;
                if (behavior.leavesChild) start(files);
                simulation.later(behavior.works, "agent of " + files + " is done", () -> {
                    if (!isThere(agent)) return;
                    files.status = behavior.dies ? new Exit(139, true) : new Exit(behavior.status, false);
                    end(agent);
                });
            });
        });
    }

    private void died(Files files, SimulatedProcess perch) {
        var status = files.status == null ? new Exit(137, true) : files.status;
        on(perch, "perch of " + files + " records " + status, () -> {
            files.exit = Optional.of(status);
            files.exitWasRecorded = true;
            files.recorded = status;
            files.notifyWatcher();
            on(perch, "perch of " + files + " goes", () -> end(perch));
        });
    }

    void terminate(ProcessId id, AgentBehavior behavior) {
        find(id).filter(_ -> !behavior.ignoresTerm).ifPresent(process -> {
            if (process.of != null) process.of.status = new Exit(143, true);
            end(process);
        });
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

    /** The directory of an attempt. */
    static final class Files implements PerchMarks {
        private final SimulatedMachine machine;
        private final RunId run;
        private final int attempt;
        private final List<BegunRecord> begun = new ArrayList<>();
        private Optional<StartRecord> start = Optional.empty();
        private Optional<Exit> exit = Optional.empty();
        private @Nullable Exit status;
        private @Nullable Runnable watcher;

        // the actual facts, for the final check
        int instructions;
        boolean exitWasRecorded;

        @Nullable
        Exit recorded;

        boolean rebooted;
        boolean cutOff; // a power failure while the attempt ran

        @Nullable
        SimulatedProcess agent;

        Files(SimulatedMachine machine, RunId run, int attempt) {
            this.machine = machine;
            this.run = run;
            this.attempt = attempt;
        }

        /** Notifies the watcher of file events and ends of processes; some notifications are lost. */
        void notifyWatcher() {
            var simulation = machine.simulation;
            var current = watcher;
            if (current == null || (simulation.has(Simulation.Trouble.LOST_EVENTS) && simulation.oneIn(3))) return;
            current.run();
        }

        void watch(@Nullable Runnable watcher) {
            this.watcher = watcher;
        }

        int spawns() {
            return begun.size();
        }

        boolean begin(int spawn) {
            if (begun.size() >= spawn) return false;
            begun.add(new BegunRecord.UnsignedRecord());
            return true;
        }

        void sign(int spawn, ProcessId perch, String boot) {
            begun.set(spawn - 1, new BegunRecord.StartedByPerch(perch, boot));
        }

        private boolean startedAs(ProcessId process) {
            return start.filter(known ->
                            known.perch().equals(process) || known.agent().equals(process))
                    .isPresent();
        }

        boolean recorded(int status) {
            return exitWasRecorded && recorded != null && recorded.status() == status;
        }

        boolean wasSignaled() {
            return exitWasRecorded && recorded != null && recorded.signaled();
        }

        /** Begun records are not synced and may be lost; {@code start} is synced. */
        void powerFails() {
            if (machine.simulation.oneIn(3)) exit = Optional.empty(); // its directory entry may not have been synced
            if (start.isPresent()) rebooted = true;
            if (start.isEmpty() && machine.simulation.oneIn(2)) begun.clear();
            watcher = null;
        }

        @Override
        public boolean isThere() {
            return true;
        }

        @Override
        public Optional<StartRecord> start() {
            return start;
        }

        @Override
        public Optional<Exit> exit() {
            return exit;
        }

        @Override
        public BegunRecord beginning() {
            return begun.isEmpty() ? new BegunRecord.NoRecord() : begun.getLast();
        }

        @Override
        public boolean revoke() {
            if (machine.simulation.simulatedFlaw == SimulatedFlaw.NOT_REVOKED) return true;
            begun.add(new BegunRecord.RevokedRecord());
            return true;
        }

        @Override
        public String toString() {
            return run.text().substring(10) + "/" + attempt;
        }
    }
}
