package dev.roost.service;

import dev.roost.engine.RuntimeContext;
import dev.roost.git.worktree.ChangedFile;
import dev.roost.ledger.record.RunRecord;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The worktrees of runs: changes, landings and restoring. */
public final class RunWorktrees {

    private final RuntimeContext context;

    RunWorktrees(RuntimeContext context) {
        this.context = context;
    }

    /** The files that the run's worktree, or its latest checkpoint, has changed against its base; empty if it has no worktree. */
    public Optional<List<ChangedFile>> changed(RunRecord run) {
        return context.worktrees().changed(run);
    }

    /** The git command that restores the run's latest checkpoint without Roost. */
    public Optional<List<String>> plainGit(RunRecord run) {
        return context.worktrees().plainGit(run);
    }

    /** Restores a run's checkpoint: at its old place, or as a copy at {@code to}. */
    public Path restore(RunRecord run, Optional<Path> to, Optional<Integer> checkpoint) {
        return new WorktreeRestore(context).restore(run, to, checkpoint);
    }

    /** The run with a refreshed landing. */
    public RunRecord refreshLanding(RunRecord run) {
        return new ActivityReports(context).withFreshLanding(run);
    }

    /** The run with a landing refreshed without the network. */
    public RunRecord refreshLocally(RunRecord run) {
        return new ActivityReports(context).withLocalLanding(run);
    }

    /** The other node that has the run's files, if it is not this one. */
    public Optional<String> ownerNode(RunRecord run) {
        return context.worktrees().isLocal(run) ? Optional.empty() : run.holder();
    }
}
