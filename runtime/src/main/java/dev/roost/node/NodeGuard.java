package dev.roost.node;

import dev.roost.home.Home;
import dev.roost.model.ProcessId;
import dev.roost.os.Kernel;
import dev.roost.os.Processes;
import dev.roost.os.ProgramPath;
import dev.roost.process.Cgroup;
import dev.roost.process.Cgroups;
import dev.roost.process.ProcessTree;
import dev.roost.process.Script;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * A small detached process that outlives the daemon of a cluster node. It kills the node's agents when the daemon has been away
 * for longer than the other nodes wait before they take over its runs. From {@link #start} on each home has one guard: the
 * daemon restarts a guard that dies, and a guard survives its daemon.
 */
public final class NodeGuard implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(NodeGuard.class.getName());

    private static final String MARK = "ROOST_GUARD";
    private static final Duration TAKEOVER_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration RESTART_DELAY = Duration.ofSeconds(1);
    private static final List<String> JVM_OPTIONS = List.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "-Xmx128m",
            "--enable-native-access=ALL-UNNAMED");

    private final String name;
    private final List<String> words;
    private final NodeGuardLock lock;
    private Process process;
    private boolean closed;

    private NodeGuard(String name, List<String> words, NodeGuardLock lock, Process process) {
        this.name = name;
        this.words = words;
        this.lock = lock;
        this.process = process;
    }

    /**
     * Called by the daemon that holds the home, before it recovers attempts. Returns once no guard of an earlier daemon runs or
     * kills agents.
     */
    public static NodeGuard start(Home home, Duration grace, Cgroups cgroups) throws IOException {
        var name = Script.fingerprint(home.root().toRealPath().toString());
        var words = words(home, grace, cgroups.create("guard-" + name), Script.install(home, "guard"));
        var process = launch(name, words); // before the old guards are killed, so that the home always has a guard
        try {
            var guard = new NodeGuard(name, words, takeOver(home, name, process.pid()), process);
            guard.watch(process);
            return guard;
        } catch (IOException | RuntimeException e) {
            process.getOutputStream().close(); // the guard stays: this daemon could not start
            throw e;
        }
    }

    private static List<String> words(Home home, Duration grace, Optional<Cgroup> group, Path script) {
        var words = new ArrayList<>(List.of(
                "sh",
                script.toString(),
                home.root().toString(),
                Long.toString(grace.toMillis() / 10),
                group.map(made -> made.path().toString()).orElse(""),
                Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        words.addAll(JVM_OPTIONS);
        if (Kernel.FORCED) words.add("-D" + Kernel.SWITCH + "=true");
        words.add("-cp");
        words.add(Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).toAbsolutePath().toString()) // the guard runs in another directory
                .collect(Collectors.joining(File.pathSeparator)));
        words.add(NodeGuardMain.class.getName());
        words.add(home.root().toString());
        return words;
    }

    private static Process launch(String name, List<String> words) throws IOException {
        var builder = new ProcessBuilder(words)
                .directory(Path.of("/").toFile()) // so that every directory can be removed
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        var environment = builder.environment();
        environment.keySet().retainAll(List.of("LANG", "LC_ALL", "LC_CTYPE")); // Java decodes file names by them
        environment.put("PATH", ProgramPath.SYSTEM);
        environment.put(MARK, name);
        Kernel.here().inOwnSession(builder);
        var process = builder.start();
        try (var output = process.inputReader(StandardCharsets.UTF_8)) {
            if (output.readLine() == null) throw new IOException("the guard did not start");
        }
        return process;
    }

    /** Kills the guards of earlier daemons and waits for the lock that one of them may hold. */
    private static NodeGuardLock takeOver(Home home, String name, long except) throws IOException {
        long deadline = System.nanoTime() + TAKEOVER_TIMEOUT.toNanos();
        while (true) {
            var others = others(home, name, except);
            others.forEach(ProcessTree::kill);
            var lock = others.isEmpty() ? NodeGuardLock.take(home) : Optional.<NodeGuardLock>empty();
            if (lock.isPresent()) return lock.get();
            if (System.nanoTime() > deadline)
                throw new IOException("another process holds %s; guards found: %s".formatted(home.guardLock(), others));
            LockSupport.parkNanos(5_000_000);
        }
    }

    private static List<ProcessId> others(Home home, String name, long except) {
        var scan = Kernel.here().scanProcesses();
        return Processes.all().stream()
                .filter(row -> row.state() != 'Z' && row.id().pid() != except)
                .map(Processes.Row::id)
                .filter(id -> scan.carries(id.pid(), MARK + "=" + name) || isGuard(id.pid(), home))
                .toList();
    }

    /** Some systems do not show the environment of their own shell. */
    private static boolean isGuard(long pid, Home home) {
        if (!Kernel.PORTABLE) return false;
        var words = Processes.commandLine(pid);
        return words.contains(Kernel.bytes(home.library() + "/guard-"))
                && words.contains("\0" + Kernel.bytes(home.root().toString()) + "\0");
    }

    /** Restarts the guard when it dies: an agent may kill it by mistake. */
    private void watch(Process watched) {
        long start = System.nanoTime();
        var _ = watched.onExit().thenRun(() -> {
            if (System.nanoTime() - start > RESTART_DELAY.toNanos()) restart();
            else restartLater(); // a guard that dies at once must not be restarted in a tight loop
        });
    }

    private void restartLater() {
        CompletableFuture.delayedExecutor(RESTART_DELAY.toMillis(), TimeUnit.MILLISECONDS)
                .execute(this::restart);
    }

    private synchronized void restart() {
        if (closed) return;
        LOG.log(System.Logger.Level.WARNING, "the guard died; starting another");
        try {
            process = launch(name, words);
            watch(process);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.ERROR, "the guard could not be started; trying again", e);
            restartLater();
        }
    }

    public synchronized long pid() {
        return process.pid();
    }

    /** Leaves the guard running, as if the daemon had been killed: the agents still run, and other nodes will take over. */
    @Override
    public synchronized void close() {
        if (closed) return;
        closed = true;
        try {
            lock.close();
            process.getOutputStream().close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "the guard may regard this daemon as alive until its process ends", e);
        }
    }
}
