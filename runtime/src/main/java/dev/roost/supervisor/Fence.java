package dev.roost.supervisor;

import dev.roost.run.Clock;
import dev.roost.run.ProcessId;
import dev.roost.run.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
    private static final int AT_ONCE = 8; // each searches all of /proc, where there are no groups

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
    public record Outcome(
            RunId run, int attempt, boolean exited, int processes, List<String> left, Optional<String> trouble) {

        public boolean isDone() {
            return left.isEmpty() && trouble.isEmpty();
        }
    }

    /** Returns when nothing of the attempt runs here any more, nor will. Doing so again does no harm. */
    public Outcome end(RunId run, int attempt, String why) {
        var directory = home.run(run).attempt(attempt);
        try {
            return end(run, attempt, directory, why);
        } catch (IOException | RuntimeException e) {
            return new Outcome(run, attempt, false, 0, List.of(), Optional.of(e.toString()));
        }
    }

    private Outcome end(RunId run, int attempt, AttemptDirectory directory, String why) throws IOException {
        var tree = perches.tree(run, attempt, directory);
        var start = directory.start();
        if (start.filter(AttemptDirectory.Start::grouped).isPresent()) tree.grouped();
        start.filter(known -> known.bootId().equals(Processes.bootId())).ifPresent(known -> tree.root(known.agent()));
        int processes = 0;
        // The perch first: once it is dead nobody can write an exit record, so a mark and a record never contradict.
        if (perches.find(directory) instanceof Perches.Found.Begun(var perch, var bootId)
                && bootId.equals(Processes.bootId())) {
            tree.perch(perch);
            processes = tree.members().size();
            endPerch(perch);
        }
        var left = tree.kill(Set.of());
        ProcessTree.stragglers(List.of(tree));
        if (left.isEmpty()) tree.forget();
        boolean exited = directory.exit().isPresent();
        // The mark last: it says that nothing is left, and without one this is done again.
        if (!exited && left.isEmpty() && directory.fenced().isEmpty() && Files.isDirectory(directory.path()))
            directory.record(new Fenced(clock.now(), why));
        return new Outcome(run, attempt, exited, processes, left, Optional.empty());
    }

    private static void endPerch(ProcessId perch) {
        ProcessTree.kill(perch);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (Processes.alive(perch) && System.nanoTime() < deadline) LockSupport.parkNanos(1_000_000);
    }

    /**
     * Ends all that began on this machine since it booted, have neither exit record nor mark, and are {@code whose}. What
     * those that have an exit record left behind is ended too: there was no daemon that could have done it.
     */
    public List<Outcome> all(BiPredicate<RunId, Integer> whose, String why) throws IOException {
        var outcomes = new ConcurrentLinkedQueue<Outcome>();
        var over = new ArrayList<ProcessTree>();
        try (var threads = Executors.newFixedThreadPool(AT_ONCE)) {
            for (var attempt : attempts()) {
                if (!whose.test(attempt.run, attempt.n) || !attempt.beganSinceBoot()) continue;
                if (attempt.directory.fenced().isPresent()) continue;
                if (attempt.directory.exit().isPresent()) {
                    var tree = perches.tree(attempt.run, attempt.n, attempt.directory);
                    over.add(tree);
                    if (tree.isGrouped()) threads.execute(() -> tree.kill(Set.of()));
                } else {
                    threads.execute(() -> outcomes.add(end(attempt.run, attempt.n, why)));
                }
            }
        }
        if (!over.isEmpty()) ProcessTree.stragglers(over);
        return List.copyOf(outcomes);
    }

    private record Attempt(RunId run, int n, AttemptDirectory directory) {

        boolean beganSinceBoot() throws IOException {
            return switch (directory.beginning()) {
                case AttemptDirectory.Beginning.By(var _, var boot) -> boot.equals(Processes.bootId());
                case AttemptDirectory.Beginning.Unsigned _ -> true; // what does not say is looked at more closely
                case AttemptDirectory.Beginning.None _, AttemptDirectory.Beginning.Revoked _ -> false;
            };
        }
    }

    private List<Attempt> attempts() throws IOException {
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
