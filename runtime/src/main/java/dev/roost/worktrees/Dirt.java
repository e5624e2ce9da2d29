package dev.roost.worktrees;

import java.util.Optional;

/** What is in a worktree beyond its commits, and the commit that counts as its tip. */
record Dirt(int dirty, int untracked, int conflicts, Optional<GitOperation> mid, Optional<String> head, String from) {

    static Dirt of(Git git, Worktree w) {
        var admin = Admin.of(w.path(), w.common());
        if (admin.isPresent()) return inWorktree(git.at(w.path()), admin.get());
        return Rescues.latest(git, w)
                .map(known -> inCheckpoint(git.at(w.common()), known))
                .orElseGet(() -> new Dirt(0, 0, 0, Optional.empty(), Optional.empty(), "the branch"));
    }

    private static Dirt inWorktree(Git git, Admin admin) {
        var status = git.run(
                "status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=none");
        int dirty = 0;
        int untracked = 0;
        int conflicts = 0;
        for (var entry : Entry.of(status)) {
            if (entry.isUnmerged()) conflicts++;
            if (entry.isTracked()) dirty++;
            else untracked++;
        }
        var head = admin.beforeRebase().or(() -> {
            var now = git.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}");
            return now.ok() ? Optional.of(now.line()) : Optional.empty();
        });
        return new Dirt(dirty, untracked, conflicts, admin.mid(), head, "the worktree");
    }

    private static Dirt inCheckpoint(Git git, Rescues.Known known) {
        var said = known.message();
        var from = "checkpoint " + known.ref().n();
        if (said.head().isEmpty()) return new Dirt(0, 0, 0, said.mid(), Optional.empty(), from);
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
                .filter(tree -> said.mid().equals(Optional.of(GitOperation.REBASE)))
                .flatMap(tree -> beforeRebase(git, tree))
                .or(said::head);
        return new Dirt(dirty, untracked, 0, said.mid(), head, from);
    }

    private static Optional<String> beforeRebase(Git git, String state) {
        for (var dir : new String[] {"rebase-merge", "rebase-apply"}) {
            var reply = git.ask("cat-file", "blob", state + ":" + dir + "/orig-head");
            if (reply.ok()) return Optional.of(reply.line().strip());
        }
        return Optional.empty();
    }
}
