package dev.roost.cli;

/** Where {@code ps --watch} shows what it sees. */
interface WatchView extends AutoCloseable {

    /** What the daemon says now, whether it changed or not; {@code counts} are of all live and unread runs. */
    void now(Listing listing, String counts);

    /** The daemon is gone, and what was shown last may have changed since. */
    void gone();

    @Override
    default void close() {}
}
