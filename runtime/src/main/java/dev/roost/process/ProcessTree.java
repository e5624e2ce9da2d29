package dev.roost.process;

import dev.roost.model.ProcessId;
import dev.roost.model.RunId;
import dev.roost.os.Kernel;
import dev.roost.os.Processes;
import dev.roost.os.RunCookie;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * All processes of an attempt. They are found by the cgroup, and unless the cgroup is known to be complete, also by their known
 * ancestors, their session, the cookie in their environment, and the attempt's files that they have open for writing.
 */
public final class ProcessTree {

    private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);

    private final RunId run;
    private final int attempt;
    private final Path directory;
    private final SeenProcesses seenFile;
    private final Set<ProcessId> seen;
    private long earliestStart = Long.MAX_VALUE; // a process older than the first perch is not part of the attempt
    private volatile Optional<Cgroup> cgroup;
    private volatile boolean grouped;
    private Optional<ProcessId> session = Optional.empty();
    private volatile List<String> unseen = List.of();

    public ProcessTree(RunId run, int attempt, Path directory, Optional<Cgroup> cgroup) throws IOException {
        this.run = run;
        this.attempt = attempt;
        this.directory = directory;
        this.seenFile = new SeenProcesses(directory.resolve("seen"));
        this.seen = seenFile.ofThisBoot();
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

    /** Records that the perch entered its cgroup before it started the agent. */
    public void grouped() {
        grouped = true;
    }

    /** Whether the cgroup contains every process of the attempt. */
    public boolean isComplete() {
        return grouped && cgroup.filter(Cgroup::exists).isPresent();
    }

    /** Whether the attempt has a cgroup that is not removed yet. */
    public boolean isGrouped() {
        return cgroup.filter(Cgroup::exists).isPresent();
    }

    /** Adds a process whose descendants belong to the attempt. */
    public synchronized void setRoot(ProcessId process) {
        seen.add(process);
    }

    /** Adds the perch, which leads a session with its pid as id. */
    public synchronized void perch(ProcessId process) {
        seen.add(process);
        earliestStart = Math.min(earliestStart, process.startTicks());
        if (Processes.alive(process)) session = Optional.of(process);
    }

    /** Records the current descendants of the known processes, so that they stay known after their parents end. */
    public static void rememberDescendants(Collection<ProcessTree> trees) {
        var incomplete = trees.stream().filter(tree -> !tree.isComplete()).toList();
        if (incomplete.isEmpty()) return;
        var all = Processes.all();
        for (var tree : incomplete) tree.rememberDescendants(all);
    }

    private synchronized void rememberDescendants(List<Processes.Row> all) {
        track(descendants(all));
    }

    private void track(Set<ProcessId> members) {
        seenFile.add(members.stream().filter(seen::add).toList());
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
                if (RunCookie.isDaemon(row.id().pid())) continue;
                grew |= members.add(row.id());
            }
        }
        return members;
    }

    /** The tree that contains a process. */
    public static Optional<ProcessTree> findByProcess(long pid, Collection<ProcessTree> trees) {
        var scan = Kernel.here().scanProcesses();
        return trees.stream().filter(tree -> tree.contains(pid, scan)).findFirst();
    }

    /** Whether a process is in the cgroup, or descends from a process of the attempt. */
    private synchronized boolean contains(long pid, Kernel.ProcessScan scan) {
        if (cgroup.isPresent() && cgroup.get().holds(pid)) return true;
        var at = Processes.row(pid);
        for (int depth = 0; at.isPresent() && at.get().id().pid() > 1 && depth < 100; depth++) {
            if (seen.contains(at.get().id())) return true;
            if (!isComplete() && !RunCookie.isDaemon(at.get().id().pid()) && belongs(at.get(), scan)) return true;
            at = Processes.row(at.get().parent());
        }
        return false;
    }

    /** The live processes of the attempt. A daemon among the descendants is not part of the tree. */
    public Set<ProcessId> members() {
        return members(_ -> {});
    }

    private synchronized Set<ProcessId> members(Consumer<ProcessId> onFound) {
        var members = new HashSet<ProcessId>();
        cgroup.ifPresent(group -> members.addAll(group.members()));
        if (!isComplete()) members.addAll(search(onFound));
        members.removeIf(id -> !Processes.alive(id) || RunCookie.isDaemon(id.pid()));
        return members;
    }

    /** The live processes; without a complete cgroup, a second scan confirms an empty result. */
    public Set<ProcessId> leftovers() {
        var members = members();
        return members.isEmpty() && !isComplete() ? members() : members;
    }

    /** What the last scan could not inspect, for the record. */
    public List<String> unseen() {
        return unseen;
    }

    /** Scans all processes, and passes each process of the attempt to {@code onFound} at once, before the scan goes on. */
    private Set<ProcessId> search(Consumer<ProcessId> onFound) {
        var scan = Kernel.here().scanProcesses();
        var all = new ArrayList<Processes.Row>();
        var found = new HashSet<ProcessId>();
        for (long pid : Processes.newestFirst()) {
            var row = Processes.row(pid);
            if (row.isEmpty() || row.get().state() == 'Z') continue;
            all.add(row.get());
            var id = row.get().id();
            boolean isMember = (seen.contains(id) || isMarked(row.get(), scan)) && !RunCookie.isDaemon(pid);
            if (!isMember) continue;
            found.add(id);
            onFound.accept(id);
        }
        var unmarked = all.stream()
                .filter(row -> !found.contains(row.id()) && isYoungEnough(row))
                .toList();
        scan.prepare(unmarked.stream().map(row -> row.id().pid()).toList());
        for (var row : unmarked) {
            if (!writesToAttempt(row, scan) || RunCookie.isDaemon(row.id().pid())) continue;
            found.add(row.id());
            onFound.accept(row.id());
        }
        unseen = scan.unseen();
        track(found);
        var descendants = descendants(all);
        track(descendants);
        return descendants;
    }

    private boolean belongs(Processes.Row row, Kernel.ProcessScan scan) {
        return isMarked(row, scan) || (isYoungEnough(row) && writesToAttempt(row, scan));
    }

    private boolean isYoungEnough(Processes.Row row) {
        return earliestStart == Long.MAX_VALUE || row.id().startTicks() >= earliestStart;
    }

    private boolean isMarked(Processes.Row row, Kernel.ProcessScan scan) {
        if (!isYoungEnough(row)) return false;
        if (inPerchSession(row)) return true;
        return RunCookie.marks(scan.environment(row.id().pid()), run, attempt);
    }

    private boolean writesToAttempt(Processes.Row row, Kernel.ProcessScan scan) {
        return !isForking(row) && scan.writesInto(row.id().pid(), directory);
    }

    /** Whether the process is a child of this daemon between fork and exec: it still has all open files of the daemon. */
    private static boolean isForking(Processes.Row row) {
        return row.parent() == ProcessHandle.current().pid()
                && Processes.isJava(row.id().pid());
    }

    /**
     * A session id stays reserved while the session has processes. If a process other than the perch has this pid, the id
     * belongs to another session.
     */
    private boolean inPerchSession(Processes.Row row) {
        if (session.isEmpty() || row.session() != session.get().pid()) return false;
        return Processes.row(row.session())
                .map(leader -> leader.id().equals(session.get()))
                .orElse(true);
    }

    /**
     * Kills the processes that carry the cookies of the given ended attempts, with one scan for all, and returns descriptions
     * of the processes. Needed even with cgroups: a process may leave its cgroup if it may write to another.
     */
    public static Map<ProcessTree, List<String>> killStragglers(Collection<ProcessTree> ended) {
        Map<String, ProcessTree> byName = new HashMap<>();
        for (var tree : ended) byName.put(tree.name(), tree);
        Map<ProcessTree, List<String>> found = new LinkedHashMap<>();
        var scan = Kernel.here().scanProcesses();
        for (var row : Processes.all()) {
            var tree = byName.get(RunCookie.name(scan.environment(row.id().pid())));
            if (tree == null
                    || row.state() == 'Z'
                    || RunCookie.isDaemon(row.id().pid())) continue;
            found.computeIfAbsent(tree, _ -> new ArrayList<>()).add(Processes.describe(row.id()));
            kill(row.id());
        }
        return found;
    }

    public RunId run() {
        return run;
    }

    public int attempt() {
        return attempt;
    }

    /** Kills the known processes at once, without a scan, so others may remain. */
    public synchronized void killKnown() {
        cgroup.ifPresent(Cgroup::kill);
        for (var id : seen) if (!RunCookie.isDaemon(id.pid())) kill(id);
    }

    /** Kills all processes but {@code spare} until none is left; returns those still alive after ten seconds. */
    public List<String> kill(Set<ProcessId> spare) {
        long pause = 500_000;
        long deadline = System.nanoTime() + KILL_TIMEOUT.toNanos();
        boolean empty = false;
        while (true) {
            var left = members(
                    id -> { // kill while scanning: a process that keeps forking and exiting has a new pid after the
                        // scan
                        if (!spare.contains(id)) kill(id);
                    });
            left.removeAll(spare);
            if (left.isEmpty() && (empty || isComplete())) return unseen;
            empty = left.isEmpty();
            if (System.nanoTime() > deadline)
                return left.stream().map(Processes::describe).toList();
            boolean killsWholeGroup = spare.isEmpty()
                    && cgroup.isPresent()
                    && left.containsAll(cgroup.get().members());
            if (killsWholeGroup) cgroup.get().kill(); // atomic, so that no fork escapes
            for (var id : left) kill(id);
            LockSupport.parkNanos(pause);
            pause = Math.min(pause * 2, 20_000_000);
        }
    }

    /** Continues a process that a signal stopped. */
    public static void resume(ProcessId id) {
        if (Kernel.here().isStopped(id.pid())) Kernel.here().signal(id, Kernel.Signal.CONT);
    }

    /** Sends SIGTERM to one process. */
    public static void terminate(ProcessId id) {
        Kernel.here().signal(id, Kernel.Signal.TERM);
    }

    public static void kill(ProcessId id) {
        Kernel.here().signal(id, Kernel.Signal.KILL);
    }

    /** Removes the cgroup of an ended attempt. */
    public void freeGroup() {
        cgroup.ifPresent(Cgroup::remove);
    }
}
