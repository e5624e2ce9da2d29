package dev.roost.os;

import dev.roost.model.ProcessId;

/** Tells when a process has ended, whether it is our child or not. */
public interface ExitWatcher extends AutoCloseable {

    /** Runs {@code then} once the process is gone; at once if it is already. */
    void watch(ProcessId id, Runnable then);

    /** Whether ends are told as they happen. */
    boolean immediate();

    @Override
    void close();

    /** The quickest means this machine has. */
    static ExitWatcher open() {
        return Kernel.here().exits();
    }
}
