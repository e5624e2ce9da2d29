package dev.roost.service;

import dev.roost.engine.RuntimeContext;
import dev.roost.git.worktree.ChangedFile;
import dev.roost.ledger.record.RunRecord;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Where the code of runs is, and how it comes back. */
public final class RunWorktrees {

    private final RuntimeContext context;

    RunWorktrees(RuntimeContext context) {
        this.context = context;
    }

    /** The files that the run's own worktree, or what was kept of it, has other than its base; empty if there is none. */
    public Optional<List<ChangedFile>> changed(RunRecord run) {
        return context.worktrees().changed(run);
    }

    /** The command with which a person gets a run's kept work without Roost. */
    public Optional<List<String>> plainGit(RunRecord run) {
        return context.worktrees().plainGit(run);
    }

    /** Brings a run's kept work back: where it was, or as a copy at {@code to}. */
    public Path restore(RunRecord run, Optional<Path> to, Optional<Integer> checkpoint) {
        return new WorktreeRestore(context).restore(run, to, checkpoint);
    }

    /** The run with what is known now of where its code is. */
    public RunRecord refreshLanding(RunRecord run) {
        return new ActivityReports(context).withFreshLanding(run);
    }

    /** The same, as far as this machine knows it: at once. */
    public RunRecord refreshLocally(RunRecord run) {
        return new ActivityReports(context).withLocalLanding(run);
    }

    /** The other node that has the run's files. */
    public Optional<String> ownerNode(RunRecord run) {
        return context.worktrees().isLocal(run) ? Optional.empty() : run.holder();
    }
}
