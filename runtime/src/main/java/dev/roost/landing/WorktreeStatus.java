package dev.roost.landing;

import dev.roost.git.Git;
import dev.roost.git.GitOperation;
import dev.roost.git.StatusEntry;
import dev.roost.git.Worktree;
import dev.roost.git.WorktreeGitDir;
import dev.roost.git.checkpoint.CheckpointRefs;
import java.util.Optional;

/** What is in a worktree beyond its commits, and the commit that counts as its tip. */
record WorktreeStatus(
        int dirty, int untracked, int conflicts, Optional<GitOperation> operation, Optional<String> head, String from) {

    static WorktreeStatus of(Git git, Worktree w) {
        var admin = WorktreeGitDir.of(w.path(), w.common());
        if (admin.isPresent()) return inWorktree(git.at(w.path()), admin.get());
        return CheckpointRefs.latest(git, w)
                .map(known -> inCheckpoint(git.at(w.common()), known))
                .orElseGet(() -> new WorktreeStatus(0, 0, 0, Optional.empty(), Optional.empty(), "the branch"));
    }

    private static WorktreeStatus inWorktree(Git git, WorktreeGitDir gitDir) {
        var status = git.run(
                "status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=none");
        int dirty = 0;
        int untracked = 0;
        int conflicts = 0;
        for (var entry : StatusEntry.of(status)) {
            if (entry.isUnmerged()) conflicts++;
            if (entry.isTracked()) dirty++;
            else untracked++;
        }
        var head = gitDir.beforeRebase().or(() -> {
            var now = git.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}");
            return now.ok() ? Optional.of(now.line()) : Optional.empty();
        });
        return new WorktreeStatus(dirty, untracked, conflicts, gitDir.operation(), head, "the worktree");
    }

    private static WorktreeStatus inCheckpoint(Git git, CheckpointRefs.CheckpointDetails known) {
        var said = known.message();
        var from = "checkpoint " + known.ref().n();
        if (said.head().isEmpty()) return new WorktreeStatus(0, 0, 0, said.operation(), Optional.empty(), from);
        int dirty = 0;
        int untracked = 0;
        for (var field : git.run(
                        "diff-tree",
                        "-r",
                        "-z",
                        "--no-renames",
                        said.head().get(),
                        known.parsed().tree())
                .fields()) {
            if (!field.startsWith(":")) continue;
            if (field.endsWith(" A")) untracked++;
            else dirty++;
        }
        var head = said.state()
                .filter(tree -> said.operation().equals(Optional.of(GitOperation.REBASE)))
                .flatMap(tree -> beforeRebase(git, tree))
                .or(said::head);
        return new WorktreeStatus(dirty, untracked, 0, said.operation(), head, from);
    }

    private static Optional<String> beforeRebase(Git git, String state) {
        for (var dir : new String[] {"rebase-merge", "rebase-apply"}) {
            var reply = git.ask("cat-file", "blob", state + ":" + dir + "/orig-head");
            if (reply.ok()) return Optional.of(reply.line().strip());
        }
        return Optional.empty();
    }
}
