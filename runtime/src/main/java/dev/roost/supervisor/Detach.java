package dev.roost.supervisor;

/** Takes the calling process out of the session of whoever started it. */
public final class Detach {

    private Detach() {}

    public static void fromSession() {
        if (Native.LINUX) Native.setsid(); // fails harmlessly for one that leads a session already
    }
}
