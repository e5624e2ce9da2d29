package dev.roost.house;

import dev.roost.run.RoostError;
import dev.roost.worktrees.Key;
import dev.roost.worktrees.Origin;
import dev.roost.worktrees.Worktrees;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Finds out in which repository somebody is who asks for a run, so that a node with another clone of it can do it. */
record Sources(Peers peers, Worktrees worktrees) {

    /** Refused if a worktree is wanted and the directory, which is here, cannot have one. */
    Optional<Wish.Source> of(Path cwd, boolean worktree) {
        if (!peers.any() || !Files.isDirectory(cwd)) return Optional.empty(); // where it is, somebody will look
        if (worktree) return source(cwd);
        if (!peers.haveRepositories() || !isInCheckout(cwd)) return Optional.empty();
        try {
            return source(cwd);
        } catch (RoostError e) {
            return Optional.empty(); // then it is a directory like any other
        }
    }

    private Optional<Wish.Source> source(Path cwd) {
        var origin = Origin.of(cwd);
        return Key.of(cwd)
                .map(key -> new Wish.Source(
                        key.text(),
                        origin.inside().toString(),
                        origin.base(),
                        origin.branch(),
                        worktrees.isShared(origin.common(), origin.base())));
    }

    /** Without asking git, which takes longer than all the rest of accepting a run. */
    private static boolean isInCheckout(Path cwd) {
        for (var at = cwd.toAbsolutePath(); at != null; at = at.getParent())
            if (Files.exists(at.resolve(".git"))) return true;
        return false;
    }
}
