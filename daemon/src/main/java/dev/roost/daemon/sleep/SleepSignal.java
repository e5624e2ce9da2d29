package dev.roost.daemon.sleep;

/** The meaning of a line that the listener printed. */
enum SleepSignal {
    /** The listener is subscribed: no later signal is missed. */
    LISTENING,
    SLEEPS,
    AWAKE,
    NOTHING
}
