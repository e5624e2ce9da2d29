package dev.roost.chaos;

import java.util.Locale;

/**
 * One run of the plan.
 *
 * @param name by which it is found again, also where nobody was told its id
 * @param tenths how long it works, in tenths of a second
 * @param exit its exit status
 * @param byCommand started by a {@code roost run} of its own, not through the socket
 */
record PlannedRun(String name, String owner, Job job, int tenths, int exit, boolean worktree, boolean byCommand) {

    /** What an agent does; agent.sh knows how. */
    enum Job {
        /** Says a word. */
        QUICK,
        /** Says nothing. */
        SILENT,
        /** Works for a while and says so. */
        WORKS,
        /** Prints much. */
        PRINTS,
        /** Writes its result into the file for that. */
        RESULT,
        /** Leaves children behind. */
        FORKS,
        /** Leaves children in sessions of their own, with a cleaned environment. */
        ESCAPES,
        /** Would go on for ten minutes, with a child. */
        LONG;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
