package dev.roost.supervisor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Takes the calling process out of what it has from whoever started it. */
public final class Detach {

    private Detach() {}

    public static void fromSession() {
        if (Native.LINUX) Native.setsid(); // fails harmlessly for one that leads a session already
    }

    /**
     * A script's background job ignores INT and QUIT, and what is ignored is inherited for ever: by a daemon that such a job
     * happened to start, and by every agent after it.
     */
    public static void fromIgnoredSignals() {
        if (!Native.LINUX) return;
        long ignored = ignored();
        for (int signal : new int[] {Native.SIGINT, Native.SIGQUIT, Native.SIGTERM}) {
            if ((ignored >> (signal - 1) & 1) != 0) Native.byDefault(signal);
        }
    }

    private static long ignored() {
        try {
            for (var line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("SigIgn:"))
                    return Long.parseUnsignedLong(line.substring(7).strip(), 16);
            }
        } catch (IOException e) {
            // not told here: then they stay as they are
        }
        return 0;
    }
}
