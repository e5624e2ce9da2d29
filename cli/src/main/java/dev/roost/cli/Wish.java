package dev.roost.cli;

/** What the view wants done outside of itself. */
sealed interface Wish {

    record Stop(String id, String title) implements Wish {}

    /** {@code question}: the id of the one that this answers; empty if it answers none. */
    record Send(String id, String title, String message, String question) implements Wish {}

    /** Follow the output of a run; without a cursor (-1) from a little before the end of what there is. */
    record Follow(String id, String file, long cursor) implements Wish {}

    /** Find out all about it. */
    record Look(String id) implements Wish {}

    enum Plain implements Wish {
        UNFOLLOW,
        LIST_ALL,
        REPAINT,
        SUSPEND,
        QUIT
    }
}
