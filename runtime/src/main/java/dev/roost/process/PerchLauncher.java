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

/** Sends perches off, and finds them again. */
public final class PerchLauncher {

    private static final int MOST_SPAWNS = 10;
    private static final Duration UNSIGNED_PATIENCE = Duration.ofSeconds(1);

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

    /** The attempt's processes, by the group that whichever daemon launched it had made for it. */
    public ProcessTree tree(RunId run, int attempt, AttemptDirectory directory) throws IOException {
        return new ProcessTree(run, attempt, realPath(directory.path()), group(run, attempt, directory));
    }

    /** One of a time when this machine was asked as Linux is means nothing where it is not. */
    private static Optional<Cgroup> group(RunId run, int attempt, AttemptDirectory directory) throws IOException {
        return Kernel.here().hasCgroups()
                ? directory.cgroup(ProcessTree.name(run, attempt)).map(Cgroup::new)
                : Optional.empty();
    }

    /** As the kernel tells of open files: with no symlink on the way to the home. */
    private Path realPath(Path directory) {
        return directory.startsWith(runs) ? realRuns.resolve(runs.relativize(directory)) : directory;
    }

    /** Starts a perch for the attempt in its directory: in a session, group and environment of its own. */
    public ProcessId launch(ProcessTree tree, AttemptDirectory directory, Map<String, String> cookies)
            throws IOException {
        int spawn = directory.spawns() + 1;
        if (spawn > MOST_SPAWNS)
            throw new IOException("its perch died %d times before it began".formatted(MOST_SPAWNS));
        directory.unfence(); // else what runs here would be taken for ended
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
                group.map(made -> made.path().toString()).orElse(""),
                switch (spec.input()) {
                    case NOTHING -> "/dev/null";
                    case FILE -> directory.path().resolve("stdin").toString();
                    case PIPE -> "pipe";
                }));
        words.addAll(spec.argv());
        var environment = directory.environment();
        environment.putAll(cookies);
        environment.put("ROOST_UMASK", spec.umask());
        if (Kernel.PORTABLE) environment.put("ROOST_BOOT", Processes.bootId()); // no script could find it out there
        environment.put("ROOST_PATH", environment.getOrDefault("PATH", ProgramPath.SYSTEM));
        environment.put("PATH", ProgramPath.SYSTEM); // the perch's own tools must be found whatever the caller's PATH
        long pid = spawns
                ? ProcessSpawner.start(words, environment, spec.cwd(), directory.records())
                : build(words, environment, spec.cwd());
        return Processes.row(pid).map(Processes.Row::id).orElse(new ProcessId(pid, -1));
    }

    /** Where the machine has nothing better; then the perch opens its records itself. */
    private static long build(List<String> words, Map<String, String> environment, Path cwd) throws IOException {
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

    /** What a daemon finds of an attempt that another daemon had started. */
    public sealed interface PerchState {
        /** A perch began; whether it still lives, its records and its pid tell. */
        record PerchStarted(ProcessId perch, String bootId) implements PerchState {}

        /** The agent's first instruction was never reached, and no perch will begin any more. */
        record PerchNeverStarted() implements PerchState {}
    }

    public PerchState find(AttemptDirectory directory) throws IOException {
        long deadline = System.nanoTime() + UNSIGNED_PATIENCE.toNanos();
        return find(directory, PerchLauncher::lives, () -> {
            LockSupport.parkNanos(5_000_000);
            return System.nanoTime() <= deadline;
        });
    }

    private static boolean lives(ProcessId perch, String bootId) {
        return bootId.equals(Processes.bootId()) && Processes.alive(perch);
    }

    /**
     * {@code lives}: whether a perch does, by its boot too. {@code patience}: waits a moment for a perch to sign what it made,
     * until it has been long enough.
     */
    public static PerchState find(PerchMarks marks, BiPredicate<ProcessId, String> lives, BooleanSupplier patience)
            throws IOException {
        while (true) {
            var begunRecord = marks.beginning();
            boolean alive =
                    begunRecord instanceof BegunRecord.StartedByPerch(var perch, var boot) && lives.test(perch, boot);
            var start = marks.start(); // read when it is known who lives: one who does not has written all he will
            if (start.isPresent())
                return new PerchState.PerchStarted(
                        start.get().perch(), start.get().bootId());
            if (!marks.isThere()) return new PerchState.PerchNeverStarted(); // removed; a perch needs it to begin
            switch (begunRecord) {
                case BegunRecord.StartedByPerch(var perch, var boot) -> {
                    if (alive || marks.exit().isPresent()) return new PerchState.PerchStarted(perch, boot);
                }
                case BegunRecord.UnsignedRecord _ -> {
                    if (patience.getAsBoolean()) continue;
                }
                case BegunRecord.NoRecord _, BegunRecord.RevokedRecord _ -> {}
            }
            // whoever made the last mark is dead; a daemon that saw that may have sent off another: it must not begin
            // beside ours
            if (marks.revoke()) return new PerchState.PerchNeverStarted();
        }
    }
}
