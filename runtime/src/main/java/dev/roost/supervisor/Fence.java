package dev.roost.supervisor;

import dev.roost.run.Clock;
import dev.roost.run.ProcessId;
import dev.roost.run.RunId;
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
public final class Fence {

    private static final Pattern ATTEMPT = Pattern.compile("[1-9]\\d{0,8}");
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int AT_ONCE = 4; // each searches all processes, where there are no groups

    private final Home home;
    private final Perches perches;
    private final Clock clock;

    public Fence(Home home, Perches perches, Clock clock) {
        this.home = home;
        this.perches = perches;
        this.clock = clock;
    }

    /**
     * What became of an attempt. {@code exited}: it had ended by itself, so there is no mark. {@code left}: processes that
     * could not be killed. {@code trouble}: why there is no mark although there should be one.
     */
    public record Outcome(RunId run, int attempt, boolean exited, List<String> left, Optional<String> trouble) {

        /** Nothing of it runs here any more, nor will, and its directory says so. */
        public boolean isDone() {
            return left.isEmpty() && trouble.isEmpty();
        }
    }

    /** Ends this one, whether it began or not: a perch that is still to come runs nothing. Doing so again does no harm. */
    public Outcome end(RunId run, int attempt, String why) {
        return end(List.of(new Attempt(run, attempt, home.run(run).attempt(attempt))), why)
                .getFirst();
    }

    /** Ends all that began on this machine since it booted and are {@code whose}, and what those that were over left behind. */
    public List<Outcome> all(BiPredicate<RunId, Integer> whose, String why) throws IOException {
        var outcomes = live(whose, why);
        sweep(whose);
        return outcomes;
    }

    /** The same for those alone that have neither exit record nor mark, and leaves one. */
    public List<Outcome> live(BiPredicate<RunId, Integer> whose, String why) throws IOException {
        var live = new ArrayList<Attempt>();
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
            if (whose.test(attempt.run, attempt.n)) trees.add(perches.tree(attempt.run, attempt.n, attempt.directory));
        }
        if (trees.isEmpty()) return;
        ProcessTree.stragglers(trees);
        for (var tree : trees) if (tree.isGrouped()) tree.kill(Set.of());
    }

    /** What takes one search for all comes first, so that many are ended almost as soon as one. */
    private List<Outcome> end(List<Attempt> attempts, String why) {
        var outcomes = new ConcurrentLinkedQueue<Outcome>();
        var held = new ArrayList<Held>();
        for (var attempt : attempts) {
            try {
                held.add(hold(attempt));
            } catch (IOException | RuntimeException e) {
                outcomes.add(attempt.troubled(e));
            }
        }
        var trees = held.stream().map(Held::tree).toList();
        ProcessTree.remember(trees); // while they still have parents
        endPerches(held.stream().flatMap(one -> one.perch().stream()).toList());
        trees.forEach(ProcessTree::strike);
        if (!trees.isEmpty()) ProcessTree.stragglers(trees);
        try (var threads = Executors.newFixedThreadPool(AT_ONCE)) {
            for (var one : held) threads.execute(() -> outcomes.add(end(one, why)));
        }
        return List.copyOf(outcomes);
    }

    private Held hold(Attempt attempt) throws IOException {
        var directory = attempt.directory;
        var tree = perches.tree(attempt.run, attempt.n, directory);
        var start = directory.start();
        if (start.filter(AttemptDirectory.Start::grouped).isPresent()) tree.grouped();
        if (!(perches.find(directory) instanceof Perches.Found.Begun(var perch, var bootId))
                || !bootId.equals(Processes.bootId())) return new Held(attempt, tree, Optional.empty());
        start.ifPresent(known -> tree.root(known.agent()));
        tree.perch(perch);
        return new Held(attempt, tree, Optional.of(perch));
    }

    /** Before all else: once they are dead nobody can write an exit record, so that no record contradicts a mark. */
    private static void endPerches(List<ProcessId> perches) {
        perches.forEach(ProcessTree::kill);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (perches.stream().anyMatch(Processes::alive) && System.nanoTime() < deadline)
            LockSupport.parkNanos(1_000_000);
    }

    /** The mark comes last: it says that nothing is left, and without one all this is done again. */
    private Outcome end(Held held, String why) {
        var attempt = held.attempt;
        var directory = attempt.directory;
        try {
            var left = held.tree.kill(Set.of());
            if (left.isEmpty()) held.tree.forget();
            boolean exited = directory.exit().isPresent();
            boolean unmarked =
                    Files.isDirectory(directory.path()) && directory.fenced().isEmpty();
            if (!exited && unmarked && left.isEmpty()) directory.record(new Fenced(clock.now(), why));
            return new Outcome(attempt.run, attempt.n, exited, left, Optional.empty());
        } catch (IOException | RuntimeException e) {
            return attempt.troubled(e);
        }
    }

    private record Held(Attempt attempt, ProcessTree tree, Optional<ProcessId> perch) {}

    private record Attempt(RunId run, int n, AttemptDirectory directory) {

        boolean beganSinceBoot() throws IOException {
            return switch (directory.beginning()) {
                case Beginning.By(var _, var boot) -> boot.equals(Processes.bootId());
                case Beginning.Unsigned _ -> true; // what does not say is looked at more closely
                case Beginning.None _, Beginning.Revoked _ -> false;
            };
        }

        Outcome troubled(Exception e) {
            return new Outcome(run, n, false, List.of(), Optional.of(e.toString()));
        }
    }

    /** An attempt that was fenced here. */
    public record Marked(RunId run, int attempt, Fenced mark) {}

    /** All of this home, the latest last. */
    public static List<Marked> marks(Home home) throws IOException {
        var marks = new ArrayList<Marked>();
        for (var attempt : attempts(home)) {
            attempt.directory.fenced().ifPresent(mark -> marks.add(new Marked(attempt.run, attempt.n, mark)));
        }
        marks.sort(Comparator.comparing(marked -> marked.mark.at()));
        return marks;
    }

    private static List<Attempt> attempts(Home home) throws IOException {
        var all = new ArrayList<Attempt>();
        for (var directory : list(home.runs())) {
            var run = RunId.parse(directory.getFileName().toString());
            if (run.isEmpty()) continue;
            for (var inside : list(directory)) {
                var name = inside.getFileName().toString();
                if (!ATTEMPT.matcher(name).matches()) continue;
                int n = Integer.parseInt(name);
                all.add(new Attempt(run.get(), n, home.run(run.get()).attempt(n)));
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
