package dev.roost.daemon.sleep;

/** What a line of a listener's means to us. */
enum SleepSignal {
    /** It listens: from here on nothing is missed. */
    LISTENING,
    SLEEPS,
    AWAKE,
    NOTHING
}
