package dev.roost.model;

import dev.roost.base.TextFormat;

/**
 * How the agent's process ended, as its perch recorded it. A shell cannot tell exit 143 from death by TERM; {@code signaled}
 * is true only if the perch's shell reported a signal.
 */
public record Exit(int status, boolean signaled) {

    public int signal() {
        if (!signaled) throw new IllegalStateException("not known to have died by a signal");
        return status - 128;
    }

    public String inWords() {
        return signaled
                ? "killed by signal %d (%s)".formatted(signal(), TextFormat.signal(signal()))
                : "exit status " + status;
    }
}
