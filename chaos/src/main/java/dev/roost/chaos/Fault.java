package dev.roost.chaos;

import java.util.Locale;

/** The kinds of faults, with their names in the verdict. */
public enum Fault {
    KILL_DAEMON,
    KILL_PERCH,
    KILL_AGENT,
    KILL_CHILD,
    FREEZE_DAEMON,
    FREEZE_PERCH,
    FREEZE_AGENT,
    FULL_DISK,
    SLOW_DISK,
    CLOCK_JUMP,
    TORN_FILE,
    MANY_CLIENTS;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
