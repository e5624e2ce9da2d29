package dev.roost.ledger;

import dev.roost.run.RunId;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What is known of runs' worktrees. */
public interface Works {

    /**
     * The node that begins this attempt has its files from now on, at a place of its own; what it had elsewhere is not there. False if the
     * attempt is not this node's.
     */
    boolean moved(RunId run, int attempt, Path cwd, Optional<Work.Place> place);

    void made(RunId run);

    void removed(RunId run);

    void checkpointed(RunId run, int n, String ref, int leftOut);

    /** How far the code got; {@code attempt} is the one that has ended, or 0 if it was only looked at. */
    void landed(RunId run, int attempt, String stage, String words, String json);

    /** The checkpoint of this number, and so all before it, is on the remote for them. */
    void pushed(RunId run, int n);

    /** Runs whose latest checkpoint is not there yet. */
    List<Run> unpushed();

    /** A checkpoint or a look failed, or does so no longer. */
    void trouble(RunId run, Optional<String> why);

    /** Ended runs whose worktree nobody has looked at since. */
    List<Run> unlooked();
}
