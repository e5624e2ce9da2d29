package dev.roost.process;

import dev.roost.os.Kernel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A scope of the user's own systemd with its cgroup delegated to us. Somebody who logged in over ssh may make no groups
 * where he is; systemd moves this process to where it may. What is started here stays in the scope when this process dies.
 */
public final class SystemdScope {

    static {
        Kernel.mustBeLinux(SystemdScope.class);
    }

    private static final System.Logger LOG = System.getLogger(SystemdScope.class.getName());
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private SystemdScope() {}

    /** Leaves this process where it is if there is no such systemd, or it does not want to. */
    static void enter() {
        var runtime = System.getenv("XDG_RUNTIME_DIR");
        if (runtime == null || !Files.exists(Path.of(runtime, "systemd", "private"))) return;
        long pid = ProcessHandle.current().pid();
        var unit = "roost-%d-%d.scope".formatted(pid, System.nanoTime());
        try {
            if (asks(unit, pid)) awaitArrival(unit);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.INFO, "no scope of systemd''s for us: {0}", e.getMessage()); // no busctl
        }
    }

    private static boolean asks(String unit, long pid) throws IOException {
        var asking = new ProcessBuilder(
                        "busctl",
                        "--user",
                        "--quiet",
                        "call",
                        "org.freedesktop.systemd1",
                        "/org/freedesktop/systemd1",
                        "org.freedesktop.systemd1.Manager",
                        "StartTransientUnit",
                        "ssa(sv)a(sa(sv))",
                        unit,
                        "fail",
                        "3",
                        "Description",
                        "s",
                        "Roost and its agents",
                        "Delegate",
                        "b",
                        "true",
                        "PIDs",
                        "au",
                        "1",
                        Long.toString(pid),
                        "0")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (asking.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) return asking.exitValue() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        asking.destroyForcibly();
        return false;
    }

    /** The answer comes before the deed. */
    private static void awaitArrival(String unit) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < deadline
                && !Files.readString(Path.of("/proc/self/cgroup")).contains("/" + unit)) {
            LockSupport.parkNanos(10_000_000);
        }
    }
}
