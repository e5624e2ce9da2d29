package dev.roost;

import dev.roost.base.NoSuchRun;
import dev.roost.base.RoostError;
import java.time.Duration;
import java.util.List;

/**
 * The runs of one owner. Another owner's run gets the same answer as a run that does not exist. A run is given by its id, an
 * unambiguous prefix of its id, or its name. Every failure is a {@link RoostError} with a hint; an unknown run is a
 * {@link NoSuchRun}.
 */
public sealed interface Runs permits Roost, OwnerRuns {

    /** A filter by status. */
    enum Selection {
        /** Live runs, and ended runs whose end is unread. */
        ACTIVE,
        LIVE,
        UNREAD,
        ALL
    }

    /** Starts a run, or queues it until a slot is free. The run is durable when this returns: no crash loses it. */
    Run start(RunRequest start);

    /** Live runs, and ended runs whose end is unread; newest first. */
    default List<Run> runs() {
        return runs(Selection.ACTIVE);
    }

    /** Newest first. */
    List<Run> runs(Selection selection);

    Run run(String run);

    /** Waits until the run ends or the timeout expires, and returns the run as it is then. */
    Run await(String run, Duration timeout);

    /** The run's output so far, and its result if it has ended. Reading an ended run marks it as read. */
    default Output output(String run) {
        return output(run, 0);
    }

    /** The output from the cursor of an earlier answer. */
    Output output(String run, long cursor);

    /** Stops the run, and returns when its whole process tree is gone. An ended run does not change. */
    Run stop(String run);

    /** Sends a message to a live run, answers its question, or continues an ended run. */
    Run send(String run, String message);

    /** The owner's pending notices, oldest first. */
    List<Notice> inbox();

    /** Acknowledges notices. Reading a run's result acknowledges its notice already. */
    void acknowledge(List<Notice> notices);
}
