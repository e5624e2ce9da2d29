package dev.roost.cli.watch;

/** What the view wants done outside of itself. */
sealed interface WatchCommand {

    record Stop(String id, String title) implements WatchCommand {}

    /** {@code question}: the id of the one that this answers; empty if it answers none. */
    record Send(String id, String title, String message, String question) implements WatchCommand {}

    /** Follow the output of a run; without a cursor (-1) from a little before the end of what there is. */
    record Follow(String id, String file, long cursor) implements WatchCommand {}

    /** Find out all about it. */
    record RefreshRun(String id) implements WatchCommand {}

    enum SimpleCommand implements WatchCommand {
        UNFOLLOW,
        LIST_ALL,
        REPAINT,
        SUSPEND,
        QUIT
    }
}
