package dev.roost.os;

/** Detaches the calling process from the session and the ignored signals of its starter. */
public final class SessionDetach {

    private SessionDetach() {}

    public static void fromSession() {
        Libc.setsid(); // fails without effect if the process already leads a session
    }

    /**
     * Resets ignored signals. A background job of a script ignores INT and QUIT, and children inherit that: a daemon that such a
     * job starts, and every agent of the daemon.
     */
    public static void fromIgnoredSignals() {
        for (int signal : new int[] {Libc.SIGINT, Libc.SIGQUIT, Libc.SIGTERM}) {
            if (Libc.ignores(signal)) Libc.resetToDefault(signal);
        }
    }

    /** Makes the builder start its program in a new session. Call this after the environment is complete. */
    public static void inOwnSession(ProcessBuilder builder) {
        Kernel.here().inOwnSession(builder);
    }
}
