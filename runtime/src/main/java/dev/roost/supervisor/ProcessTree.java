package dev.roost.supervisor;

import dev.roost.run.ProcessId;
import dev.roost.run.RunId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Everything an attempt started. By its cgroup where there is one; otherwise, and besides, by descent ever seen, by the
 * cookie in the environment, and by who writes to the attempt's files.
 */
public final class ProcessTree {

    /** In the environment of a daemon: it may have been started from inside a run, but it is never part of one. */
    public static final String DAEMON_MARK = "ROOST_DAEMON";

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final RunId run;
    private final int attempt;
    private final Path directory;
    private final Sightings sightings;
    private final Set<ProcessId> seen;
    private long born = Long.MAX_VALUE; // nothing that is older than its first perch is an attempt's
    private volatile Optional<Cgroup> cgroup;
    private volatile boolean grouped;
    private OptionalLong session = OptionalLong.empty();

    ProcessTree(RunId run, int attempt, Path directory, Optional<Cgroup> cgroup) throws IOException {
        this.run = run;
        this.attempt = attempt;
        this.directory = directory;
        this.sightings = new Sightings(directory.resolve("seen"));
        this.seen = sightings.ofThisBoot();
        this.cgroup = cgroup;
    }

    String name() {
        return name(run, attempt);
    }

    static String name(RunId run, int attempt) {
        return run + "-" + attempt;
    }

    void use(Cgroup group) {
        cgroup = Optional.of(group);
    }

    /** The perch said that it entered its group before it started the agent. */
    public void grouped() {
        grouped = true;
    }

    /** Whether nothing can have escaped our sight. */
    public boolean sure() {
        return grouped && cgroup.filter(Cgroup::exists).isPresent();
    }

    /** Where the attempt's processes begin. */
    public synchronized void root(ProcessId process) {
        seen.add(process);
    }

    /** The perch leads a session; while it was seen alive, nobody else's session can have that number. */
    public synchronized void perch(ProcessId process) {
        seen.add(process);
        born = Math.min(born, process.startTicks());
        if (Processes.alive(process)) session = OptionalLong.of(process.pid());
    }

    /** Remembers who descends from the roots now, so that they are known even when their parents are gone. */
    public static void remember(Collection<ProcessTree> trees) {
        var unsure = trees.stream().filter(tree -> !tree.sure()).toList();
        if (unsure.isEmpty()) return;
        var all = Processes.all();
        for (var tree : unsure) tree.remember(all);
    }

    private synchronized void remember(List<Processes.Row> all) {
        see(descendants(all));
    }

    private void see(Set<ProcessId> members) {
        sightings.add(members.stream().filter(seen::add).toList());
    }

    private Set<ProcessId> descendants(List<Processes.Row> all) {
        Map<Long, ProcessId> byPid = new HashMap<>();
        for (var row : all) byPid.put(row.id().pid(), row.id());
        var members = new HashSet<ProcessId>();
        for (var id : seen) if (id.equals(byPid.get(id.pid()))) members.add(id);
        for (boolean grew = true; grew; ) {
            grew = false;
            for (var row : all) {
                var parent = byPid.get(row.parent());
                if (parent == null || !members.contains(parent) || members.contains(row.id())) continue;
                if (isDaemon(row.id().pid())) continue;
                grew |= members.add(row.id());
            }
        }
        return members;
    }

    /** Whether a process is in here: in the group, or descended from somebody who is known to be. */
    public synchronized boolean holds(long pid) {
        if (cgroup.isPresent() && cgroup.get().holds(pid)) return true;
        var at = Processes.row(pid);
        for (int depth = 0; at.isPresent() && at.get().id().pid() > 1 && depth < 100; depth++) {
            if (seen.contains(at.get().id())) return true;
            at = Processes.row(at.get().parent());
        }
        return false;
    }

    /** Who is there now. A daemon may be among the descendants, but it is never one of them. */
    public synchronized Set<ProcessId> members() {
        var members = new HashSet<ProcessId>();
        cgroup.ifPresent(group -> members.addAll(group.members()));
        if (!sure()) {
            var all = Processes.all();
            members.addAll(descendants(all));
            for (var row : all) if (!members.contains(row.id()) && belongs(row)) members.add(row.id());
            see(members);
        }
        members.removeIf(id -> !Processes.alive(id) || isDaemon(id.pid()));
        return members;
    }

    private boolean belongs(Processes.Row row) {
        if (born != Long.MAX_VALUE && row.id().startTicks() < born) return false;
        if (session.isPresent() && row.session() == session.getAsLong()) return true;
        String environment = Processes.environment(row.id().pid());
        boolean cookie = environment.contains("\0ROOST_RUN_ID=" + run + "\0")
                && environment.contains("\0ROOST_ATTEMPT=" + attempt + "\0");
        return cookie || Processes.writesInto(row.id().pid(), directory);
    }

    private static boolean isDaemon(long pid) {
        return pid == ProcessHandle.current().pid()
                || Processes.environment(pid).contains("\0" + DAEMON_MARK + "=");
    }

    /** Kills all but {@code spared} until nothing is left; what still is after ten seconds, for the record. */
    public List<String> kill(Set<ProcessId> spared) {
        long nap = 500_000;
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            var left = members();
            left.removeAll(spared);
            if (left.isEmpty()) return List.of();
            if (System.nanoTime() > deadline)
                return left.stream().map(Processes::describe).toList();
            boolean stroke = spared.isEmpty()
                    && cgroup.isPresent()
                    && left.containsAll(cgroup.get().members());
            if (stroke) cgroup.get().kill(); // all at once, so that no fork is quicker
            for (var id : left) signal(id, Native.SIGKILL);
            LockSupport.parkNanos(nap);
            nap = Math.min(nap * 2, 20_000_000);
        }
    }

    /** Asks the process itself to end. */
    public static void terminate(ProcessId id) {
        signal(id, Native.SIGTERM);
    }

    public static void kill(ProcessId id) {
        signal(id, Native.SIGKILL);
    }

    /** By pidfd, its identity checked once it cannot change any more: never another process that got the same pid. */
    private static void signal(ProcessId id, int signal) {
        int pidfd = Native.LINUX ? Native.pidfdOpen(id.pid()) : -Native.ESRCH;
        if (pidfd >= 0) {
            if (Processes.alive(id)) Native.pidfdSendSignal(pidfd, signal);
            Native.close(pidfd);
        } else if (pidfd != -Native.ESRCH && Processes.alive(id)) {
            ProcessHandle.of(id.pid())
                    .ifPresent(signal == Native.SIGKILL ? ProcessHandle::destroyForcibly : ProcessHandle::destroy);
        }
    }

    /** Frees the group of an attempt that is over. */
    public void forget() {
        cgroup.ifPresent(Cgroup::remove);
    }
}
