package dev.roost.landing;

import dev.roost.git.Git;
import dev.roost.git.GitOperation;
import dev.roost.git.GitReply;
import dev.roost.git.SafeMove;
import dev.roost.git.StatusEntry;
import dev.roost.git.Worktree;
import dev.roost.git.WorktreeGitDir;
import dev.roost.git.checkpoint.Checkpoint;
import dev.roost.git.checkpoint.CheckpointRefs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The uncommitted files of a worktree, and the commit that counts as its tip.
 *
 * @param unknown why the status of its files is unknown
 */
record WorktreeStatus(
        int dirty,
        int untracked,
        int conflicts,
        Optional<GitOperation> operation,
        Optional<String> head,
        String from,
        Optional<String> unknown) {

    private static final String FROM_BRANCH = "the branch";

    static WorktreeStatus of(Git git, Worktree w) {
        var admin = WorktreeGitDir.of(w.path(), w.common());
        if (admin.isPresent()) return inWorktree(git.at(w.path()), admin.get());
        if (!Files.isDirectory(w.common())) throw Git.repositoryGone(w.common());
        if (isFilled(w.path())) return unknown(FROM_BRANCH, Optional.empty(), whyBroken(w));
        return CheckpointRefs.latest(git, w)
                .map(known -> inCheckpoint(git.at(w.common()), known))
                .orElseGet(() -> inBranch(git.at(w.common()), w));
    }

    /** Without a branch, the run's refs were deleted because its code was merged. */
    private static WorktreeStatus inBranch(Git git, Worktree w) {
        return git.ask("rev-parse", "--verify", "--quiet", w.branchRef()).ok()
                ? unknown(FROM_BRANCH, Optional.empty(), "its directory is gone, and there is no checkpoint of it")
                : new WorktreeStatus(0, 0, 0, Optional.empty(), Optional.empty(), FROM_BRANCH, Optional.empty());
    }

    private static boolean isFilled(Path place) {
        try {
            return SafeMove.isFilled(place);
        } catch (IOException e) {
            return true;
        }
    }

    private static String whyBroken(Worktree w) {
        if (Files.isSymbolicLink(w.path())) return "its directory is a link";
        return SafeMove.exists(w.path().resolve(".git"))
                ? "its .git is not the one that Roost made"
                : "its .git is missing";
    }

    private static WorktreeStatus unknown(String from, Optional<String> head, String why) {
        return new WorktreeStatus(0, 0, 0, Optional.empty(), head, from, Optional.of(why));
    }

    private static WorktreeStatus inWorktree(Git git, WorktreeGitDir gitDir) {
        var head = gitDir.beforeRebase().or(() -> git.commit("HEAD"));
        var status = git.ask(
                "status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=none");
        if (status.exit() == GitReply.LATE) throw Git.failed(status, "status");
        if (!status.ok()) return unknown("the worktree", head, "git status failed: " + status.errorText());
        int dirty = 0;
        int untracked = 0;
        int conflicts = 0;
        for (var entry : StatusEntry.of(status)) {
            if (entry.isUnmerged()) conflicts++;
            if (entry.isTracked()) dirty++;
            else untracked++;
        }
        return new WorktreeStatus(
                dirty, untracked, conflicts, gitDir.operation(), head, "the worktree", Optional.empty());
    }

    private static WorktreeStatus inCheckpoint(Git git, Checkpoint known) {
        var message = known.message();
        var from = "checkpoint " + known.n();
        if (message.head().isEmpty())
            return new WorktreeStatus(0, 0, 0, message.operation(), Optional.empty(), from, Optional.empty());
        int dirty = 0;
        int untracked = 0;
        for (var field : git.run(
                        "diff-tree", "-r", "-z", "--no-renames", message.head().get(), known.tree())
                .fields()) {
            if (!field.startsWith(":")) continue;
            if (field.endsWith(" A")) untracked++;
            else dirty++;
        }
        var head = message.state()
                .filter(tree -> message.operation().equals(Optional.of(GitOperation.REBASE)))
                .flatMap(tree -> beforeRebase(git, tree))
                .or(message::head);
        return new WorktreeStatus(dirty, untracked, 0, message.operation(), head, from, Optional.empty());
    }

    private static Optional<String> beforeRebase(Git git, String state) {
        for (var dir : new String[] {"rebase-merge", "rebase-apply"}) {
            var reply = git.ask("cat-file", "blob", state + ":" + dir + "/orig-head");
            if (reply.ok()) return Optional.of(reply.line().strip());
        }
        return Optional.empty();
    }
}
