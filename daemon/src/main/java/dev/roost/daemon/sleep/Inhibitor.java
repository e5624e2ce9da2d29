package dev.roost.daemon.sleep;

import dev.roost.agents.Programs;
import dev.roost.base.TextFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Makes logind wait for us before it lets the machine sleep. The lock is held by a program that ends with its input. */
final class Inhibitor {

    private static final System.Logger LOG = System.getLogger(Inhibitor.class.getName());
    private static final int TOLD = 300;

    private final SystemBus systemBus;
    private final Optional<Path> program;
    private Optional<Process> held = Optional.empty();
    private boolean complained;

    Inhibitor(SystemBus systemBus) {
        this.systemBus = systemBus;
        this.program = Programs.find("systemd-inhibit", Path.of("/"), systemBus.environment());
    }

    /** Where that is not possible the machine does not wait, which is said once. */
    synchronized void take() {
        if (held.filter(Process::isAlive).isPresent()) return;
        if (program.isEmpty()) {
            complain("there is no systemd-inhibit");
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
            complain(String.valueOf(e.getMessage()));
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
        if (held.filter(process::equals).isEmpty()) return; // as we wanted
        try {
            process.getOutputStream().close(); // what it has left behind ends with its input
            var complaint = process.getErrorStream();
            var said = new String(complaint.readNBytes(Math.min(TOLD, complaint.available())), StandardCharsets.UTF_8);
            complain("systemd-inhibit ended with status %d %s"
                    .formatted(process.exitValue(), TextFormat.printable(said.strip())));
        } catch (IOException e) {
            complain("systemd-inhibit ended with status %d".formatted(process.exitValue()));
        }
    }

    private void complain(String why) {
        if (complained) return;
        complained = true;
        LOG.log(System.Logger.Level.INFO, "the machine will not wait for us before it sleeps: {0}", why);
    }
}
