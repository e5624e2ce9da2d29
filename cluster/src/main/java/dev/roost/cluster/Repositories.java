package dev.roost.cluster;

import dev.roost.run.RoostError;
import dev.roost.worktrees.Key;
import dev.roost.worktrees.Origin;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The checkouts that a node has, by the keys of their repositories. */
record Repositories(Map<String, Path> checkouts) {

    private static final System.Logger LOG = System.getLogger(Repositories.class.getName());

    /** Those of these directories that are in one; of two checkouts of the same repository, the first. */
    static Repositories in(Collection<Path> directories) {
        var checkouts = new LinkedHashMap<String, Path>();
        for (var directory : directories) {
            try {
                for (var key : Key.all(directory))
                    checkouts.putIfAbsent(key.text(), Origin.of(directory).top());
            } catch (RoostError e) {
                LOG.log(System.Logger.Level.DEBUG, "{0} is no checkout: {1}", directory, e.sentence());
            }
        }
        return new Repositories(Map.copyOf(checkouts));
    }

    Set<String> labels() {
        var labels = new TreeSet<String>();
        checkouts.keySet().forEach(key -> labels.add(Places.REPOSITORY + key));
        return labels;
    }

    Optional<Path> checkout(String key) {
        return Optional.ofNullable(checkouts.get(key));
    }
}
