package dev.roost.process;

import dev.roost.os.Kernel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A scope of the user's systemd, with its cgroup delegated to Roost. A process of an ssh session may not create cgroups below
 * its own; systemd moves this process to a scope in which it may. Child processes stay in the scope when this process dies.
 */
public final class SystemdScope {

    static {
        Kernel.mustBeLinux(SystemdScope.class);
    }

    private static final System.Logger LOG = System.getLogger(SystemdScope.class.getName());
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private SystemdScope() {}

    /** Moves this process into a new scope; leaves it where it is if there is no user systemd or systemd refuses. */
    static void enter() {
        var runtime = System.getenv("XDG_RUNTIME_DIR");
        if (runtime == null || !Files.exists(Path.of(runtime, "systemd", "private"))) return;
        long pid = ProcessHandle.current().pid();
        var unit = "roost-%d-%d.scope".formatted(pid, System.nanoTime());
        try {
            if (requestScope(unit, pid)) awaitMove(unit);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.INFO, "no systemd scope for the daemon: {0}", e.getMessage()); // no busctl
        }
    }

    private static boolean requestScope(String unit, long pid) throws IOException {
        var call = new ProcessBuilder(
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
            if (call.waitFor(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) return call.exitValue() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        call.destroyForcibly();
        return false;
    }

    /** Waits until this process is in the scope: systemd answers the call before it moves the process. */
    private static void awaitMove(String unit) throws IOException {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (System.nanoTime() < deadline
                && !Files.readString(Path.of("/proc/self/cgroup")).contains("/" + unit)) {
            LockSupport.parkNanos(10_000_000);
        }
    }
}
