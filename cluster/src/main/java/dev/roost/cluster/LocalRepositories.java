package dev.roost.cluster;

import dev.roost.base.RoostError;
import dev.roost.git.RepositoryKey;
import dev.roost.git.RepositoryOrigin;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

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
}
