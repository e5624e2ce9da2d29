package dev.roost.landing;

import dev.roost.git.RepositoryLocks;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Caches the answers of remotes, so that each remote is asked once for many runs of one repository. */
public final class RemoteAnswers {

    private record RemoteQuery(Path common, String remote) {}

    private final Map<RemoteQuery, Optional<Map<String, String>>> known = new ConcurrentHashMap<>();

    /** The refs of a remote; empty if it did not answer. */
    Optional<Map<String, String>> of(Path common, String remote, Supplier<Optional<Map<String, String>>> ask) {
        var question = new RemoteQuery(common, remote);
        try (var _ = RepositoryLocks.on(common.resolve("asking " + remote))) {
            var before = known.get(question);
            if (before != null) return before;
            var now = ask.get();
            known.put(question, now);
            return now;
        }
    }
}
