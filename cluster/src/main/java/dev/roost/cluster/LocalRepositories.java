package dev.roost.cluster;

import dev.roost.base.RoostError;
import dev.roost.git.RepositoryKey;
import dev.roost.git.RepositoryOrigin;
import dev.roost.node.AttemptOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;

/** The checkouts of a node, by the keys of their repositories. */
record LocalRepositories(Map<String, Path> checkouts) {

    private static final System.Logger LOG = System.getLogger(LocalRepositories.class.getName());

    /** Finds the directories that are checkouts; of two checkouts of one repository, the first is used. */
    static LocalRepositories in(Collection<Path> directories) {
        var checkouts = new LinkedHashMap<String, Path>();
        for (var directory : directories) {
            try {
                for (var key : RepositoryKey.all(directory))
                    checkouts.putIfAbsent(
                            key.text(), RepositoryOrigin.of(directory).top());
            } catch (RoostError e) {
                LOG.log(System.Logger.Level.DEBUG, "{0} is not a checkout: {1}", directory, e.sentence());
            }
        }
        return new LocalRepositories(Map.copyOf(checkouts));
    }

    Set<String> labels() {
        var labels = new TreeSet<String>();
        checkouts.keySet().forEach(key -> labels.add(NodeRequirements.REPOSITORY + key));
        return labels;
    }

    Optional<Path> checkout(String key) {
        return Optional.ofNullable(checkouts.get(key));
    }

    /**
     * The repository of a request's directory, so that a node with another clone of it can run it. Throws if a worktree is requested
     * and the local directory cannot have one. {@code isShared}: whether other clones have a commit.
     */
    static Optional<AttemptOrder.RepositorySource> source(
            Path cwd, boolean worktree, BooleanSupplier nodesHaveRepositories, BiPredicate<Path, String> isShared) {
        if (!Files.isDirectory(cwd)) return Optional.empty(); // the node that has the directory finds it
        if (worktree) return source(cwd, isShared);
        if (!nodesHaveRepositories.getAsBoolean() || !isInCheckout(cwd)) return Optional.empty();
        try {
            return source(cwd, isShared);
        } catch (RoostError e) {
            return Optional.empty(); // without a usable repository it is a plain directory
        }
    }

    private static Optional<AttemptOrder.RepositorySource> source(Path cwd, BiPredicate<Path, String> isShared) {
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
