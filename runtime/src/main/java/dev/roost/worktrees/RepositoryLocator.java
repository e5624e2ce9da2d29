package dev.roost.worktrees;

import dev.roost.base.RoostError;
import dev.roost.git.RepositoryKey;
import dev.roost.git.RepositoryOrigin;
import dev.roost.git.worktree.GitWorktrees;
import dev.roost.node.AttemptOrder;
import dev.roost.node.Cluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Finds out in which repository somebody is who asks for a run, so that a node with another clone of it can do it. */
public record RepositoryLocator(Cluster cluster, GitWorktrees worktrees) {

    /** Refused if a worktree is wanted and the directory, which is here, cannot have one. */
    public Optional<AttemptOrder.RepositorySource> of(Path cwd, boolean worktree) {
        if (!cluster.isClustered() || !Files.isDirectory(cwd))
            return Optional.empty(); // where it is, somebody will look
        if (worktree) return source(cwd);
        if (!cluster.otherNodesHaveRepositories() || !isInCheckout(cwd)) return Optional.empty();
        try {
            return source(cwd);
        } catch (RoostError e) {
            return Optional.empty(); // then it is a directory like any other
        }
    }

    private Optional<AttemptOrder.RepositorySource> source(Path cwd) {
        var origin = RepositoryOrigin.of(cwd);
        return RepositoryKey.of(cwd)
                .map(key -> new AttemptOrder.RepositorySource(
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
