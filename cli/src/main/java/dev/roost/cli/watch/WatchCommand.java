package dev.roost.cli.watch;

/** An effect that the model requests. */
sealed interface WatchCommand {

    record Stop(String id, String title) implements WatchCommand {}

    /** {@code question}: the id of the answered question, or empty. */
    record Send(String id, String title, String message, String question) implements WatchCommand {}

    /** Follows a run's output; with cursor -1, from near its end. */
    record Follow(String id, String file, long cursor) implements WatchCommand {}

    /** Loads the run's details. */
    record RefreshRun(String id) implements WatchCommand {}

    enum SimpleCommand implements WatchCommand {
        UNFOLLOW,
        LIST_ALL,
        REPAINT,
        SUSPEND,
        QUIT
    }
}
