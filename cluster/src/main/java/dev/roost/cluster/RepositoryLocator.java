package dev.roost.cluster;

import dev.roost.base.RoostError;
import dev.roost.git.RepositoryKey;
import dev.roost.git.RepositoryOrigin;
import dev.roost.node.AttemptOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;

/** Finds the repository of a request's directory, so that a node with another clone of it can run it. */
record RepositoryLocator(BooleanSupplier nodesHaveRepositories, BiPredicate<Path, String> isShared) {

    /** The repository of {@code cwd}. Throws if a worktree is requested and the local directory cannot have one. */
    Optional<AttemptOrder.RepositorySource> of(Path cwd, boolean worktree) {
        if (!Files.isDirectory(cwd)) return Optional.empty(); // the node that has the directory finds it
        if (worktree) return source(cwd);
        if (!nodesHaveRepositories.getAsBoolean() || !isInCheckout(cwd)) return Optional.empty();
        try {
            return source(cwd);
        } catch (RoostError e) {
            return Optional.empty(); // without a usable repository it is a plain directory
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
                        isShared.test(origin.common(), origin.base())));
    }

    /** Looks for .git without running git, which would take longer than the rest of the submission. */
    private static boolean isInCheckout(Path cwd) {
        for (var at = cwd.toAbsolutePath(); at != null; at = at.getParent())
            if (Files.exists(at.resolve(".git"))) return true;
        return false;
    }
}
