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

/** Processes with their pids, perches and agents at work, and the files they leave: what is synced survives a power failure. */
final class SimulatedMachine {

    private static final int PIDS = 12; // few, so that they come again soon

    static final int RATE_LIMITED = 75;

    /** What an agent is going to do. */
    record Nature(long works, int status, boolean dies, boolean ignoresTerm, boolean leavesChild) {}

    static final class Member {
        final ProcessId id;
        final @Nullable Files of;

        @Nullable
        Runnable onDeath;

        boolean unseen; // just sent off: nothing tells yet whose it is

        Member(ProcessId id, @Nullable Files of) {
            this.id = id;
            this.of = of;
        }
    }

    private final Simulation simulation;
    private final Map<Long, Member> table = new HashMap<>();
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

    Member start(@Nullable Files of) {
        long pid;
        do pid = 100L + simulation.random.nextInt(PIDS + table.size());
        while (table.containsKey(pid));
        return start(pid, of);
    }

    private Member start(long pid, @Nullable Files of) {
        var process = new Member(new ProcessId(pid, ++ticks), of);
        table.put(pid, process);
        return process;
    }

    boolean isThere(Member process) {
        return table.get(process.id.pid()) == process;
    }

    /** As the daemon sees it. */
    boolean alive(ProcessId id) {
        var process = table.get(id.pid());
        if (process == null) return false;
        return simulation.simulatedFlaw == SimulatedFlaw.PID_ALONE || process.id.equals(id);
    }

    Optional<Member> find(ProcessId id) {
        return Optional.ofNullable(table.get(id.pid())).filter(process -> process.id.equals(id));
    }

    void end(Member process) {
        if (!table.remove(process.id.pid(), process)) return;
        if (simulation.has(Simulation.Trouble.PIDS_REUSED) && simulation.oneIn(2)) start(process.id.pid(), null);
        if (process.onDeath != null) process.onDeath.run();
        if (process.of != null) process.of.news();
    }

    List<Member> of(Files files) {
        var all = new ArrayList<Member>();
        for (var process : table.values()) if (process.of == files) all.add(process);
        return all;
    }

    /** Whether some perch has yet to find out whether it is to begin. */
    boolean isSomethingOnItsWay() {
        for (var process : table.values()) if (process.unseen) return true;
        return false;
    }

    void reboot() {
        boots++;
        ticks = 0; // so that after it a process may look just like one before it
        for (var process : table.values())
            if (process.of != null && process.of.isLedBy(process.id)) process.of.cutOff = true;
        table.clear();
        attempts.values().forEach(all -> all.forEach(Files::powerFails));
    }

    /** Sends off a perch, which makes its way by itself. */
    ProcessId perch(Files files, int spawn, Nature nature) {
        var perch = start(files);
        perch.unseen = true;
        long slow = simulation.oneIn(4) ? simulation.chance(2 * Simulation.SECOND) : 0; // a loaded machine
        on(perch, slow, "perch of " + files + " makes begun." + spawn, () -> {
            perch.unseen = false;
            if (!files.begin(spawn)) {
                end(perch);
                return;
            }
            on(perch, "perch of " + files + " signs", () -> {
                files.sign(spawn, perch.id, bootId());
                on(perch, "perch of " + files + " forks", () -> agent(files, perch, nature));
            });
        });
        return perch.id;
    }

    private void agent(Files files, Member perch, Nature nature) {
        var agent = start(files);
        files.agent = agent;
        agent.onDeath = () -> died(files, perch);
        on(agent, "start of " + files + " is recorded", () -> {
            files.start = Optional.of(new StartRecord(perch.id, agent.id, bootId(), false));
            files.news();
            on(agent, "first instruction of " + files, () -> {
                files.instructions++;
                if (nature.leavesChild) start(files);
                simulation.later(nature.works, "agent of " + files + " is done", () -> {
                    if (!isThere(agent)) return;
                    files.status = nature.dies ? new Exit(139, true) : new Exit(nature.status, false);
                    end(agent);
                });
            });
        });
    }

    private void died(Files files, Member perch) {
        var status = files.status == null ? new Exit(137, true) : files.status;
        on(perch, "perch of " + files + " records " + status, () -> {
            files.exit = Optional.of(status);
            files.exitWasRecorded = true;
            files.recorded = status;
            files.news();
            on(perch, "perch of " + files + " goes", () -> end(perch));
        });
    }

    void terminate(ProcessId id, Nature nature) {
        find(id).filter(_ -> !nature.ignoresTerm).ifPresent(process -> {
            if (process.of != null) process.of.status = new Exit(143, true);
            end(process);
        });
    }

    /** What this process does next, if it is still there then. */
    private void on(Member process, String what, Runnable work) {
        on(process, 0, what, work);
    }

    private void on(Member process, long slow, String what, Runnable work) {
        simulation.later(slow + simulation.chance(40 * Simulation.MILLI), what, () -> {
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

        // the truth, for who judges
        int instructions;
        boolean exitWasRecorded;

        @Nullable
        Exit recorded;

        boolean rebooted;
        boolean cutOff; // by the power, while it ran

        @Nullable
        Member agent;

        Files(SimulatedMachine machine, RunId run, int attempt) {
            this.machine = machine;
            this.run = run;
            this.attempt = attempt;
        }

        /** Events of files and of processes' ends; some are lost. */
        void news() {
            var simulation = machine.simulation;
            var told = watcher;
            if (told == null || (simulation.has(Simulation.Trouble.LOST_EVENTS) && simulation.oneIn(3))) return;
            told.run();
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

        private boolean isLedBy(ProcessId process) {
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

        /** Nobody syncs what says only who began; who did is known by {@code start}, which is. */
        void powerFails() {
            if (machine.simulation.oneIn(3)) exit = Optional.empty(); // its name may not have reached the disk
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
