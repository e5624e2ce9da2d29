package dev.roost.os;

/** Takes the calling process out of what it has from whoever started it. */
public final class SessionDetach {

    private SessionDetach() {}

    public static void fromSession() {
        Libc.setsid(); // fails harmlessly for one that leads a session already
    }

    /**
     * A script's background job ignores INT and QUIT, and what is ignored is inherited for ever: by a daemon that such a job
     * happened to start, and by every agent after it.
     */
    public static void fromIgnoredSignals() {
        for (int signal : new int[] {Libc.SIGINT, Libc.SIGQUIT, Libc.SIGTERM}) {
            if (Libc.ignores(signal)) Libc.byDefault(signal);
        }
    }

    /** Has its words run in a session of their own; its environment is to be complete by then. */
    public static void inOwnSession(ProcessBuilder builder) {
        Kernel.here().inOwnSession(builder);
    }
}
