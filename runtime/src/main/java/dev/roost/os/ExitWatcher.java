package dev.roost.os;

import dev.roost.model.ProcessId;

/** Notifies of the exit of processes, children of this one or not. */
public interface ExitWatcher extends AutoCloseable {

    /** Runs {@code then} once the process has ended; at once if it has already. */
    void watch(ProcessId id, Runnable then);

    /** Whether exits are reported at once, and not by polling. */
    boolean immediate();

    @Override
    void close();

    /** The fastest implementation on this machine. */
    static ExitWatcher open() {
        return Kernel.here().exits();
    }
}
