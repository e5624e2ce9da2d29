package dev.roost.node;

import dev.roost.base.Clock;
import dev.roost.home.AttemptDirectory;
import dev.roost.home.BegunRecord;
import dev.roost.home.FenceMark;
import dev.roost.home.Home;
import dev.roost.model.ProcessId;
import dev.roost.model.RunId;
import dev.roost.os.Processes;
import dev.roost.process.PerchLauncher;
import dev.roost.process.ProcessTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiPredicate;
import java.util.regex.Pattern;

/** Kills the processes of attempts that another node owns now, and writes a fence mark for each attempt. */
public final class AttemptFence {

    private static final Pattern ATTEMPT = Pattern.compile("[1-9]\\d{0,8}");
    private static final Duration PERCH_KILL_TIMEOUT = Duration.ofSeconds(10);
    private static final int PARALLEL_KILLS = 4; // without cgroups, each kill scans all processes

    private final Home home;
    private final PerchLauncher launcher;
    private final Clock clock;

    public AttemptFence(Home home, PerchLauncher launcher, Clock clock) {
        this.home = home;
        this.launcher = launcher;
        this.clock = clock;
    }

    /**
     * The result for one attempt. {@code exited}: the attempt has an exit record, so it gets no mark. {@code left}: processes
     * that could not be killed. {@code trouble}: the error that prevented the mark.
     */
    public record FenceResult(RunId run, int attempt, boolean exited, List<String> left, Optional<String> trouble) {

        /** Whether no process of the attempt runs or will run here, and its directory records that. */
        public boolean isDone() {
            return left.isEmpty() && trouble.isEmpty();
        }
    }

    /** Fences one attempt, started or not: a perch that starts later runs nothing. Idempotent. */
    public FenceResult end(RunId run, int attempt, String why) {
        return end(List.of(new LocalAttempt(run, attempt, home.run(run).attempt(attempt))), why)
                .getFirst();
    }

    /** Fences the selected live attempts of this boot, and kills leftover processes of the ended ones. */
    public List<FenceResult> fenceAll(BiPredicate<RunId, Integer> selected, String why) throws IOException {
        var outcomes = fenceLive(selected, why);
        sweep(selected);
        return outcomes;
    }

    /** Fences the selected attempts that have neither an exit record nor a mark. */
    public List<FenceResult> fenceLive(BiPredicate<RunId, Integer> selected, String why) throws IOException {
        var live = new ArrayList<LocalAttempt>();
        for (var attempt : attempts(home)) {
            if (!attempt.beganSinceBoot() || attempt.directory.exit().isPresent()) continue;
            if (attempt.directory.fenced().isEmpty() && selected.test(attempt.run, attempt.n)) live.add(attempt);
        }
        return end(live, why);
    }

    /** Kills the leftover processes of selected attempts that ended while no daemon was running. */
    public void sweep(BiPredicate<RunId, Integer> selected) throws IOException {
        var trees = new ArrayList<ProcessTree>();
        for (var attempt : attempts(home)) {
            if (!attempt.beganSinceBoot() || attempt.directory.fenced().isPresent()) continue;
            if (selected.test(attempt.run, attempt.n))
                trees.add(launcher.tree(attempt.run, attempt.n, attempt.directory));
        }
        if (trees.isEmpty()) return;
        ProcessTree.killStragglers(trees);
        for (var tree : trees) if (tree.isGrouped()) tree.kill(Set.of());
    }

    /** Does the process scans once for all attempts first, so that fencing many takes little longer than fencing one. */
    private List<FenceResult> end(List<LocalAttempt> attempts, String why) {
        var outcomes = new ConcurrentLinkedQueue<FenceResult>();
        var found = new ArrayList<AttemptProcesses>();
        for (var attempt : attempts) {
            try {
                found.add(find(attempt));
            } catch (IOException | RuntimeException e) {
                outcomes.add(attempt.troubled(e));
            }
        }
        var trees = found.stream().map(AttemptProcesses::tree).toList();
        ProcessTree.rememberDescendants(trees); // while they still have parents
        killPerches(found.stream().flatMap(one -> one.perch().stream()).toList());
        trees.forEach(ProcessTree::killKnown);
        if (!trees.isEmpty()) ProcessTree.killStragglers(trees);
        try (var threads = Executors.newFixedThreadPool(PARALLEL_KILLS)) {
            for (var one : found) threads.execute(() -> outcomes.add(end(one, why)));
        }
        return List.copyOf(outcomes);
    }

    private AttemptProcesses find(LocalAttempt attempt) throws IOException {
        var directory = attempt.directory;
        var tree = launcher.tree(attempt.run, attempt.n, directory);
        var start = directory.start();
        if (start.filter(AttemptDirectory.StartRecord::grouped).isPresent()) tree.grouped();
        if (!(launcher.find(directory) instanceof PerchLauncher.PerchState.PerchStarted(var perch, var bootId))
                || !bootId.equals(Processes.bootId())) return new AttemptProcesses(attempt, tree, Optional.empty());
        start.ifPresent(known -> tree.setRoot(known.agent()));
        tree.perch(perch);
        return new AttemptProcesses(attempt, tree, Optional.of(perch));
    }

    /** Runs before all other kills: a dead perch writes no exit record, so no record contradicts a mark. */
    private static void killPerches(List<ProcessId> perches) {
        perches.forEach(ProcessTree::kill);
        long deadline = System.nanoTime() + PERCH_KILL_TIMEOUT.toNanos();
        while (perches.stream().anyMatch(Processes::alive) && System.nanoTime() < deadline)
            LockSupport.parkNanos(1_000_000);
    }

    /** Writes the mark last: it promises that no process is left. Without a mark the attempt is fenced again. */
    private FenceResult end(AttemptProcesses processes, String why) {
        var attempt = processes.attempt;
        var directory = attempt.directory;
        try {
            var left = processes.tree.kill(Set.of());
            if (left.isEmpty()) processes.tree.freeGroup();
            boolean exited = directory.exit().isPresent();
            boolean unmarked =
                    Files.isDirectory(directory.path()) && directory.fenced().isEmpty();
            if (!exited && unmarked && left.isEmpty()) directory.record(new FenceMark(clock.now(), why));
            return new FenceResult(attempt.run, attempt.n, exited, left, Optional.empty());
        } catch (IOException | RuntimeException e) {
            return attempt.troubled(e);
        }
    }

    private record AttemptProcesses(LocalAttempt attempt, ProcessTree tree, Optional<ProcessId> perch) {}

    private record LocalAttempt(RunId run, int n, AttemptDirectory directory) {

        boolean beganSinceBoot() throws IOException {
            return switch (directory.beginning()) {
                case BegunRecord.StartedByPerch(var _, var boot) -> boot.equals(Processes.bootId());
                case BegunRecord.UnsignedRecord _ -> true; // the boot is unknown: check the processes
                case BegunRecord.NoRecord _, BegunRecord.RevokedRecord _ -> false;
            };
        }

        FenceResult troubled(Exception e) {
            return new FenceResult(run, n, false, List.of(), Optional.of(e.toString()));
        }
    }

    /** An attempt that was fenced in this home. */
    public record FencedAttempt(RunId run, int attempt, FenceMark mark) {}

    /** All fenced attempts of this home, the latest last. */
    public static List<FencedAttempt> marks(Home home) throws IOException {
        var marks = new ArrayList<FencedAttempt>();
        for (var attempt : attempts(home)) {
            attempt.directory.fenced().ifPresent(mark -> marks.add(new FencedAttempt(attempt.run, attempt.n, mark)));
        }
        marks.sort(Comparator.comparing(marked -> marked.mark.at()));
        return marks;
    }

    private static List<LocalAttempt> attempts(Home home) throws IOException {
        var all = new ArrayList<LocalAttempt>();
        for (var directory : list(home.runs())) {
            var run = RunId.parse(directory.getFileName().toString());
            if (run.isEmpty()) continue;
            for (var child : list(directory)) {
                var name = child.getFileName().toString();
                if (!ATTEMPT.matcher(name).matches()) continue;
                int n = Integer.parseInt(name);
                all.add(new LocalAttempt(run.get(), n, home.run(run.get()).attempt(n)));
            }
        }
        return all;
    }

    private static List<Path> list(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) return List.of();
        try (var entries = Files.list(directory)) {
            return entries.toList();
        }
    }
}
