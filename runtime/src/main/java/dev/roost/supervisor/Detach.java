package dev.roost.supervisor;

import java.util.List;

/** Takes the calling process out of what it has from whoever started it. */
public final class Detach {

    private Detach() {}

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

    /** Words that run these in a session of their own. */
    public static List<String> inOwnSession(List<String> words) {
        return Kernel.here().inOwnSession(words);
    }
}
