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

/** Ends attempts in this home that are another node's to go on with, and leaves a mark that says so. */
public final class AttemptFence {

    private static final Pattern ATTEMPT = Pattern.compile("[1-9]\\d{0,8}");
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int AT_ONCE = 4; // each searches all processes, where there are no groups

    private final Home home;
    private final PerchLauncher launcher;
    private final Clock clock;

    public AttemptFence(Home home, PerchLauncher launcher, Clock clock) {
        this.home = home;
        this.launcher = launcher;
        this.clock = clock;
    }

    /**
     * What became of an attempt. {@code exited}: it had ended by itself, so there is no mark. {@code left}: processes that
     * could not be killed. {@code trouble}: why there is no mark although there should be one.
     */
    public record FenceResult(RunId run, int attempt, boolean exited, List<String> left, Optional<String> trouble) {

        /** Nothing of it runs here any more, nor will, and its directory says so. */
        public boolean isDone() {
            return left.isEmpty() && trouble.isEmpty();
        }
    }

    /** Ends this one, whether it began or not: a perch that is still to come runs nothing. Doing so again does no harm. */
    public FenceResult end(RunId run, int attempt, String why) {
        return end(List.of(new LocalAttempt(run, attempt, home.run(run).attempt(attempt))), why)
                .getFirst();
    }

    /** Ends all that began on this machine since it booted and are {@code whose}, and what those that were over left behind. */
    public List<FenceResult> fenceAll(BiPredicate<RunId, Integer> whose, String why) throws IOException {
        var outcomes = fenceLive(whose, why);
        sweep(whose);
        return outcomes;
    }

    /** The same for those alone that have neither exit record nor mark, and leaves one. */
    public List<FenceResult> fenceLive(BiPredicate<RunId, Integer> whose, String why) throws IOException {
        var live = new ArrayList<LocalAttempt>();
        for (var attempt : attempts(home)) {
            if (!attempt.beganSinceBoot() || attempt.directory.exit().isPresent()) continue;
            if (attempt.directory.fenced().isEmpty() && whose.test(attempt.run, attempt.n)) live.add(attempt);
        }
        return end(live, why);
    }

    /** Ends what is left of those that are over: there was no daemon that could have done it. */
    public void sweep(BiPredicate<RunId, Integer> whose) throws IOException {
        var trees = new ArrayList<ProcessTree>();
        for (var attempt : attempts(home)) {
            if (!attempt.beganSinceBoot() || attempt.directory.fenced().isPresent()) continue;
            if (whose.test(attempt.run, attempt.n)) trees.add(launcher.tree(attempt.run, attempt.n, attempt.directory));
        }
        if (trees.isEmpty()) return;
        ProcessTree.killStragglers(trees);
        for (var tree : trees) if (tree.isGrouped()) tree.kill(Set.of());
    }

    /** What takes one search for all comes first, so that many are ended almost as soon as one. */
    private List<FenceResult> end(List<LocalAttempt> attempts, String why) {
        var outcomes = new ConcurrentLinkedQueue<FenceResult>();
        var held = new ArrayList<AttemptProcesses>();
        for (var attempt : attempts) {
            try {
                held.add(hold(attempt));
            } catch (IOException | RuntimeException e) {
                outcomes.add(attempt.troubled(e));
            }
        }
        var trees = held.stream().map(AttemptProcesses::tree).toList();
        ProcessTree.rememberDescendants(trees); // while they still have parents
        endPerches(held.stream().flatMap(one -> one.perch().stream()).toList());
        trees.forEach(ProcessTree::killKnown);
        if (!trees.isEmpty()) ProcessTree.killStragglers(trees);
        try (var threads = Executors.newFixedThreadPool(AT_ONCE)) {
            for (var one : held) threads.execute(() -> outcomes.add(end(one, why)));
        }
        return List.copyOf(outcomes);
    }

    private AttemptProcesses hold(LocalAttempt attempt) throws IOException {
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

    /** Before all else: once they are dead nobody can write an exit record, so that no record contradicts a mark. */
    private static void endPerches(List<ProcessId> perches) {
        perches.forEach(ProcessTree::kill);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (perches.stream().anyMatch(Processes::alive) && System.nanoTime() < deadline)
            LockSupport.parkNanos(1_000_000);
    }

    /** The mark comes last: it says that nothing is left, and without one all this is done again. */
    private FenceResult end(AttemptProcesses held, String why) {
        var attempt = held.attempt;
        var directory = attempt.directory;
        try {
            var left = held.tree.kill(Set.of());
            if (left.isEmpty()) held.tree.freeGroup();
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
                case BegunRecord.UnsignedRecord _ -> true; // what does not say is looked at more closely
                case BegunRecord.NoRecord _, BegunRecord.RevokedRecord _ -> false;
            };
        }

        FenceResult troubled(Exception e) {
            return new FenceResult(run, n, false, List.of(), Optional.of(e.toString()));
        }
    }

    /** An attempt that was fenced here. */
    public record FencedAttempt(RunId run, int attempt, FenceMark mark) {}

    /** All of this home, the latest last. */
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
            for (var inside : list(directory)) {
                var name = inside.getFileName().toString();
                if (!ATTEMPT.matcher(name).matches()) continue;
                int n = Integer.parseInt(name);
                all.add(new LocalAttempt(run.get(), n, home.run(run.get()).attempt(n)));
            }
        }
        return all;
    }

    private static List<Path> list(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) return List.of();
        try (var all = Files.list(directory)) {
            return all.toList();
        }
    }
}
