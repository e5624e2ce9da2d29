package dev.roost.chaos;

import java.util.Locale;

/**
 * One run of the plan.
 *
 * @param name its unique name, by which it is found if its id is unknown
 * @param tenths how long it works, in tenths of a second
 * @param exit its exit status
 * @param byCommand started by {@code roost run}, not through the socket
 */
record PlannedRun(String name, String owner, Job job, int tenths, int exit, boolean worktree, boolean byCommand) {

    /** What the agent does; implemented by agent.sh. */
    enum Job {
        /** Prints a line. */
        QUICK,
        /** Prints nothing. */
        SILENT,
        /** Works for a while and reports progress. */
        WORKS,
        /** Prints much. */
        PRINTS,
        /** Writes its result into the result file. */
        RESULT,
        /** Leaves child processes behind. */
        FORKS,
        /** Leaves child processes in other sessions, with a cleaned environment. */
        ESCAPES,
        /** Would work for ten minutes, with a child process. */
        LONG;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
