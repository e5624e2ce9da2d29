package dev.roost.rescue;

import dev.roost.run.RunId;
import java.nio.file.Path;

/** Keeps all that is uncommitted in a worktree, and touches nothing in it. */
@FunctionalInterface
public interface Keeper {

    /** The ref that holds it from now on. */
    String keep(Path worktree, RunId run);
}
