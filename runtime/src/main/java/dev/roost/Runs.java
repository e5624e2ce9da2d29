package dev.roost;

import dev.roost.base.NoSuchRun;
import dev.roost.base.RoostError;
import java.time.Duration;
import java.util.List;

/**
 * The runs of one owner. Somebody else's are answered like ones that do not exist. A run is named by its id, any
 * unambiguous beginning of it, or its name. Whatever goes wrong is a {@link RoostError}, which says what to do; a run that
 * is not there is a {@link NoSuchRun}.
 */
public sealed interface Runs permits Roost, OwnerRuns {

    /** Which of them. */
    enum Which {
        /** Live ones, and ended ones whose end was not read yet. */
        ACTIVE,
        LIVE,
        UNREAD,
        ALL
    }

    /** Starts a run, or has it wait for a free slot. When this returns it is durable: no crash of anything loses it. */
    Run start(RunRequest start);

    /** Live ones, and ended ones whose end was not read yet; newest first. */
    default List<Run> runs() {
        return runs(Which.ACTIVE);
    }

    /** Newest first. */
    List<Run> runs(Which which);

    Run run(String run);

    /** Waits for the run's end, and answers what it is then: still live, if the time was up first. */
    Run await(String run, Duration timeout);

    /** What the run has said so far, and its result if it has ended: then it counts as read. */
    default Output output(String run) {
        return output(run, 0);
    }

    /** The same, from where an earlier answer ended. */
    Output output(String run, long cursor);

    /** Stops the run, and returns when its whole process tree is gone. Of one that has ended nothing changes. */
    Run stop(String run);

    /** Steers a live run, answers its question, or continues one that has ended. */
    Run send(String run, String message);

    /** What this owner was not told yet, oldest first. */
    List<Notice> inbox();

    /** These were told. A run whose result was read needs none. */
    void acknowledge(List<Notice> notices);
}
