package dev.roost.daemon.sleep;

import dev.roost.agents.Programs;
import dev.roost.base.TextFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Holds a delay lock of logind, so the machine sleeps only after the daemon is ready. The lock's process ends with its input. */
final class Inhibitor {

    private static final System.Logger LOG = System.getLogger(Inhibitor.class.getName());
    private static final int MAX_STDERR_BYTES = 300;

    private final SystemBus systemBus;
    private final Optional<Path> program;
    private Optional<Process> held = Optional.empty();
    private boolean logged;

    Inhibitor(SystemBus systemBus) {
        this.systemBus = systemBus;
        this.program = Programs.find("systemd-inhibit", Path.of("/"), systemBus.environment());
    }

    /** Takes the lock. If that is not possible, the machine will not wait, and that is logged once. */
    synchronized void take() {
        if (held.filter(Process::isAlive).isPresent()) return;
        if (program.isEmpty()) {
            logOnce("there is no systemd-inhibit");
            return;
        }
        try {
            var process = systemBus.start(List.of(
                    program.get().toString(),
                    "--what=sleep",
                    "--mode=delay",
                    "--who=roost",
                    "--why=Work in progress is being kept",
                    "cat"));
            held = Optional.of(process);
            var _ = process.onExit().thenAccept(this::processEnded);
        } catch (IOException e) {
            logOnce(String.valueOf(e.getMessage()));
        }
    }

    void release() {
        Optional<Process> process;
        synchronized (this) {
            process = held;
            held = Optional.empty();
        }
        process.ifPresent(TetheredProcess::end);
    }

    private synchronized void processEnded(Process process) {
        if (held.filter(process::equals).isEmpty()) return; // it was released
        try {
            process.getOutputStream().close(); // its child ends with its input
            var stderr = process.getErrorStream();
            var text = new String(
                    stderr.readNBytes(Math.min(MAX_STDERR_BYTES, stderr.available())), StandardCharsets.UTF_8);
            logOnce("systemd-inhibit ended with status %d %s"
                    .formatted(process.exitValue(), TextFormat.printable(text.strip())));
        } catch (IOException e) {
            logOnce("systemd-inhibit ended with status %d".formatted(process.exitValue()));
        }
    }

    private void logOnce(String why) {
        if (logged) return;
        logged = true;
        LOG.log(System.Logger.Level.INFO, "the machine will not wait for Roost before it sleeps: {0}", why);
    }
}
