package dev.roost.process;

import dev.roost.home.AttemptDirectory;
import dev.roost.home.BegunRecord;
import dev.roost.home.Home;
import dev.roost.home.PerchMarks;
import dev.roost.model.ProcessId;
import dev.roost.model.RunId;
import dev.roost.os.Kernel;
import dev.roost.os.ProcessSpawner;
import dev.roost.os.Processes;
import dev.roost.os.ProgramPath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;

/** Launches perches, and finds them again after a daemon's restart. */
public final class PerchLauncher {

    private static final int MAX_SPAWNS = 10;
    private static final Duration UNSIGNED_TIMEOUT = Duration.ofSeconds(1);

    private final Path script;
    private final Path runs;
    private final Path realRuns;
    private final Cgroups cgroups;
    private final boolean spawns;
    private final List<String> shell;

    public PerchLauncher(Home home, Cgroups cgroups) throws IOException {
        this(home, cgroups, Kernel.here().spawns(), List.of("/bin/sh"));
    }

    PerchLauncher(Home home, Cgroups cgroups, boolean spawns, List<String> shell) throws IOException {
        this.shell = shell;
        this.cgroups = cgroups;
        this.spawns = spawns;
        this.script = Script.install(home, "perch");
        this.runs = home.runs();
        this.realRuns = Files.isDirectory(runs) ? runs.toRealPath() : runs;
    }

    public Cgroups cgroups() {
        return cgroups;
    }

    /** The attempt's processes, with the cgroup that the launching daemon recorded. */
    public ProcessTree tree(RunId run, int attempt, AttemptDirectory directory) throws IOException {
        return new ProcessTree(run, attempt, realPath(directory.path()), group(run, attempt, directory));
    }

    /** Ignores a recorded cgroup where the kernel half has no cgroups. */
    private static Optional<Cgroup> group(RunId run, int attempt, AttemptDirectory directory) throws IOException {
        return Kernel.here().hasCgroups()
                ? directory.cgroup(ProcessTree.name(run, attempt)).map(Cgroup::new)
                : Optional.empty();
    }

    /** The path as the kernel reports it for open files: the path of the home without symlinks. */
    private Path realPath(Path directory) {
        return directory.startsWith(runs) ? realRuns.resolve(runs.relativize(directory)) : directory;
    }

    /** Starts a perch for the attempt, in its own session, cgroup and environment. */
    public ProcessId launch(ProcessTree tree, AttemptDirectory directory, Map<String, String> cookies)
            throws IOException {
        int spawn = directory.spawns() + 1;
        if (spawn > MAX_SPAWNS)
            throw new IOException("the perch died %d times before it started the agent".formatted(MAX_SPAWNS));
        directory.unfence(); // a mark would say that the attempt has no processes
        var group = cgroups.create(tree.name());
        if (group.isPresent()) {
            directory.record(group.get().path());
            tree.use(group.get());
        }
        directory.createRecords();
        var spec = directory.spec();
        var words = new ArrayList<>(shell);
        words.addAll(List.of(
                script.toString(),
                directory.path().toString(),
                Integer.toString(spawn),
                group.map(created -> created.path().toString()).orElse(""),
                switch (spec.input()) {
                    case NOTHING -> "/dev/null";
                    case FILE -> directory.path().resolve("stdin").toString();
                    case PIPE -> "pipe";
                }));
        words.addAll(spec.argv());
        var environment = directory.environment();
        environment.putAll(cookies);
        environment.put("ROOST_UMASK", spec.umask());
        if (Kernel.PORTABLE) environment.put("ROOST_BOOT", Processes.bootId()); // portable.sh cannot determine it
        environment.put("ROOST_PATH", environment.getOrDefault("PATH", ProgramPath.SYSTEM));
        environment.put("PATH", ProgramPath.SYSTEM); // the perch finds its own tools whatever the caller's PATH
        long pid = spawns
                ? ProcessSpawner.start(words, environment, spec.cwd(), directory.records())
                : startWithProcessBuilder(words, environment, spec.cwd());
        return Processes.row(pid).map(Processes.Row::id).orElse(new ProcessId(pid, -1));
    }

    /** The fallback without posix_spawn: the perch opens its records itself. */
    private static long startWithProcessBuilder(List<String> words, Map<String, String> environment, Path cwd)
            throws IOException {
        var builder = new ProcessBuilder(words)
                .directory(cwd.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().clear();
        builder.environment().putAll(environment);
        Kernel.here().inOwnSession(builder);
        return builder.start().pid();
    }

    /** The state of an attempt that an earlier daemon may have started. */
    public sealed interface PerchState {
        /** A perch started. Its records and its pid tell whether it still runs. */
        record PerchStarted(ProcessId perch, String bootId) implements PerchState {}

        /** The agent never started, and no perch will start it. */
        record PerchNeverStarted() implements PerchState {}
    }

    public PerchState find(AttemptDirectory directory) throws IOException {
        long deadline = System.nanoTime() + UNSIGNED_TIMEOUT.toNanos();
        return find(directory, PerchLauncher::isAlive, () -> {
            LockSupport.parkNanos(5_000_000);
            return System.nanoTime() <= deadline;
        });
    }

    private static boolean isAlive(ProcessId perch, String bootId) {
        return bootId.equals(Processes.bootId()) && Processes.alive(perch);
    }

    /**
     * {@code isAlive}: whether a perch of the given boot is alive. {@code waitMore}: waits briefly for a perch to write its
     * begun file; false after the timeout.
     */
    public static PerchState find(PerchMarks marks, BiPredicate<ProcessId, String> isAlive, BooleanSupplier waitMore)
            throws IOException {
        while (true) {
            var begunRecord = marks.beginning();
            boolean alive =
                    begunRecord instanceof BegunRecord.StartedByPerch(var perch, var boot) && isAlive.test(perch, boot);
            var start = marks.start(); // read after the check: a perch found dead has written all its records
            if (start.isPresent())
                return new PerchState.PerchStarted(
                        start.get().perch(), start.get().bootId());
            if (!marks.isThere()) return new PerchState.PerchNeverStarted(); // removed: no perch can start without it
            switch (begunRecord) {
                case BegunRecord.StartedByPerch(var perch, var boot) -> {
                    if (alive || marks.exit().isPresent()) return new PerchState.PerchStarted(perch, boot);
                }
                case BegunRecord.UnsignedRecord _ -> {
                    if (waitMore.getAsBoolean()) continue;
                }
                case BegunRecord.NoRecord _, BegunRecord.RevokedRecord _ -> {}
            }
            // the creator of the last begun file is dead, but an earlier daemon may have launched another perch: revoke
            // that one, so that only this daemon's perch starts
            if (marks.revoke()) return new PerchState.PerchNeverStarted();
        }
    }
}
