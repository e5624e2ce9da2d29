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
 * Everything an attempt started. By its cgroup where there is one; otherwise, and besides, by descent ever seen, by the
 * cookie in the environment, and by who writes to the attempt's files.
 */
public final class ProcessTree {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final RunId run;
    private final int attempt;
    private final Path directory;
    private final SeenProcesses sightings;
    private final Set<ProcessId> seen;
    private long born = Long.MAX_VALUE; // nothing that is older than its first perch is an attempt's
    private volatile Optional<Cgroup> cgroup;
    private volatile boolean grouped;
    private Optional<ProcessId> session = Optional.empty();
    private volatile List<String> unseen = List.of();

    public ProcessTree(RunId run, int attempt, Path directory, Optional<Cgroup> cgroup) throws IOException {
        this.run = run;
        this.attempt = attempt;
        this.directory = directory;
        this.sightings = new SeenProcesses(directory.resolve("seen"));
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
    public boolean isComplete() {
        return grouped && cgroup.filter(Cgroup::exists).isPresent();
    }

    /** Whether it has a group that was not freed yet. */
    public boolean isGrouped() {
        return cgroup.filter(Cgroup::exists).isPresent();
    }

    /** Where the attempt's processes begin. */
    public synchronized void setRoot(ProcessId process) {
        seen.add(process);
    }

    /** The perch leads a session, which has its number. */
    public synchronized void perch(ProcessId process) {
        seen.add(process);
        born = Math.min(born, process.startTicks());
        if (Processes.alive(process)) session = Optional.of(process);
    }

    /** Remembers who descends from the roots now, so that they are known even when their parents are gone. */
    public static void rememberDescendants(Collection<ProcessTree> trees) {
        var unsure = trees.stream().filter(tree -> !tree.isComplete()).toList();
        if (unsure.isEmpty()) return;
        var all = Processes.all();
        for (var tree : unsure) tree.rememberDescendants(all);
    }

    private synchronized void rememberDescendants(List<Processes.Row> all) {
        track(descendants(all));
    }

    private void track(Set<ProcessId> members) {
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
                if (RunCookie.isDaemon(row.id().pid())) continue;
                grew |= members.add(row.id());
            }
        }
        return members;
    }

    /** Which of these a process is in. */
    public static Optional<ProcessTree> findByProcess(long pid, Collection<ProcessTree> trees) {
        var look = Kernel.here().scanProcesses();
        return trees.stream().filter(tree -> tree.contains(pid, look)).findFirst();
    }

    /** Whether a process is in here: in the group, or descended from somebody who is known to be. */
    private synchronized boolean contains(long pid, Kernel.ProcessScan look) {
        if (cgroup.isPresent() && cgroup.get().holds(pid)) return true;
        var at = Processes.row(pid);
        for (int depth = 0; at.isPresent() && at.get().id().pid() > 1 && depth < 100; depth++) {
            if (seen.contains(at.get().id())) return true;
            if (!isComplete() && !RunCookie.isDaemon(at.get().id().pid()) && belongs(at.get(), look)) return true;
            at = Processes.row(at.get().parent());
        }
        return false;
    }

    /** Who is there now. A daemon may be among the descendants, but it is never one of them. */
    public Set<ProcessId> members() {
        return members(_ -> {});
    }

    private synchronized Set<ProcessId> members(Consumer<ProcessId> atSight) {
        var members = new HashSet<ProcessId>();
        cgroup.ifPresent(group -> members.addAll(group.members()));
        if (!isComplete()) members.addAll(search(atSight));
        members.removeIf(id -> !Processes.alive(id) || RunCookie.isDaemon(id.pid()));
        return members;
    }

    /** Who is left now; where there is no group to tell, only a second look that finds nobody is believed. */
    public Set<ProcessId> leftovers() {
        var left = members();
        return left.isEmpty() && !isComplete() ? members() : left;
    }

    /** Who may have been missed by the last look, for the record. */
    public List<String> unseen() {
        return unseen;
    }

    /** Searches all processes, and tells {@code atSight} of each that is known or marked as ours while it is still there. */
    private Set<ProcessId> search(Consumer<ProcessId> atSight) {
        var look = Kernel.here().scanProcesses();
        var all = new ArrayList<Processes.Row>();
        var found = new HashSet<ProcessId>();
        for (long pid : Processes.newestFirst()) {
            var row = Processes.row(pid);
            if (row.isEmpty() || row.get().state() == 'Z') continue;
            all.add(row.get());
            var id = row.get().id();
            boolean ours = (seen.contains(id) || isMarked(row.get(), look)) && !RunCookie.isDaemon(pid);
            if (!ours) continue;
            found.add(id);
            atSight.accept(id);
        }
        var unmarked = all.stream()
                .filter(row -> !found.contains(row.id()) && isYoungEnough(row))
                .toList();
        look.prepare(unmarked.stream().map(row -> row.id().pid()).toList());
        for (var row : unmarked) {
            if (!writesHere(row, look) || RunCookie.isDaemon(row.id().pid())) continue;
            found.add(row.id());
            atSight.accept(row.id());
        }
        unseen = look.unseen();
        track(found);
        var descendants = descendants(all);
        track(descendants);
        return descendants;
    }

    private boolean belongs(Processes.Row row, Kernel.ProcessScan look) {
        return isMarked(row, look) || (isYoungEnough(row) && writesHere(row, look));
    }

    private boolean isYoungEnough(Processes.Row row) {
        return born == Long.MAX_VALUE || row.id().startTicks() >= born;
    }

    private boolean isMarked(Processes.Row row, Kernel.ProcessScan look) {
        if (!isYoungEnough(row)) return false;
        if (inOurSession(row)) return true;
        return RunCookie.marks(look.environment(row.id().pid()), run, attempt);
    }

    private boolean writesHere(Processes.Row row, Kernel.ProcessScan look) {
        return !isForking(row) && look.writesInto(row.id().pid(), directory);
    }

    /** A child of ours that is not yet the program it is to be: for a moment it holds every file that we hold. */
    private static boolean isForking(Processes.Row row) {
        return row.parent() == ProcessHandle.current().pid()
                && Processes.isJava(row.id().pid());
    }

    /** A number that another process has by now is that of another session: while one of ours lived, it was not free. */
    private boolean inOurSession(Processes.Row row) {
        if (session.isEmpty() || row.session() != session.get().pid()) return false;
        return Processes.row(row.session())
                .map(leader -> leader.id().equals(session.get()))
                .orElse(true);
    }

    /**
     * A last look, in one search for all, at attempts that are over: even a group can be left by who may write to another.
     * Kills what still carries their cookies, and says what that was.
     */
    public static Map<ProcessTree, List<String>> killStragglers(Collection<ProcessTree> over) {
        Map<String, ProcessTree> byName = new HashMap<>();
        for (var tree : over) byName.put(tree.name(), tree);
        Map<ProcessTree, List<String>> found = new LinkedHashMap<>();
        var look = Kernel.here().scanProcesses();
        for (var row : Processes.all()) {
            var tree = byName.get(RunCookie.name(look.environment(row.id().pid())));
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

    /** Kills at once whoever is known by now; without a search, so somebody may be left. */
    public synchronized void killKnown() {
        cgroup.ifPresent(Cgroup::kill);
        for (var id : seen) if (!RunCookie.isDaemon(id.pid())) kill(id);
    }

    /** Kills all but {@code spared} until nothing is left; what still is after ten seconds, for the record. */
    public List<String> kill(Set<ProcessId> spared) {
        long nap = 500_000;
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        boolean empty = false;
        while (true) {
            var left = members(
                    id -> { // one that forks and goes, again and again, is caught only when it is seen
                        if (!spared.contains(id)) kill(id);
                    });
            left.removeAll(spared);
            if (left.isEmpty() && (empty || isComplete())) return unseen;
            empty = left.isEmpty();
            if (System.nanoTime() > deadline)
                return left.stream().map(Processes::describe).toList();
            boolean stroke = spared.isEmpty()
                    && cgroup.isPresent()
                    && left.containsAll(cgroup.get().members());
            if (stroke) cgroup.get().kill(); // all at once, so that no fork is quicker
            for (var id : left) kill(id);
            LockSupport.parkNanos(nap);
            nap = Math.min(nap * 2, 20_000_000);
        }
    }

    /** Lets a process go on that somebody stopped; nothing to others. */
    public static void resume(ProcessId id) {
        if (Kernel.here().isStopped(id.pid())) Kernel.here().signal(id, Kernel.Signal.CONT);
    }

    /** Asks the process itself to end. */
    public static void terminate(ProcessId id) {
        Kernel.here().signal(id, Kernel.Signal.TERM);
    }

    public static void kill(ProcessId id) {
        Kernel.here().signal(id, Kernel.Signal.KILL);
    }

    /** Frees the group of an attempt that is over. */
    public void freeGroup() {
        cgroup.ifPresent(Cgroup::remove);
    }
}
