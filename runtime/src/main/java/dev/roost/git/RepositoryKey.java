package dev.roost.git;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Identifies clones of one repository on different machines: by the address of a remote ({@code github.com/acme/app}), or by
 * the first commit ({@code root:<commit>}) if no remote has an address that other machines can reach.
 */
public record RepositoryKey(String text) {

    private static final Pattern URL = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*://(?:[^/@]*@)?([^/]+?)(?::\\d*)?/(.*)");
    private static final Pattern SSH = Pattern.compile("(?:[^/@:]+@)?(\\[[^]/]+]|[^/:]+):(.*)");

    /** The key that a run requests. Empty outside a repository, and for a shallow clone without a reachable remote. */
    public static Optional<RepositoryKey> of(Path checkout) {
        return of(checkout, System.getenv());
    }

    static Optional<RepositoryKey> of(Path checkout, Map<String, String> environment) {
        return all(checkout, environment).stream().findFirst();
    }

    /** All keys of a clone: it may have several remotes, and other clones only some of them. */
    public static Set<RepositoryKey> all(Path checkout) {
        return all(checkout, System.getenv());
    }

    static Set<RepositoryKey> all(Path checkout, Map<String, String> environment) {
        var keys = new LinkedHashSet<RepositoryKey>();
        if (!Files.isDirectory(checkout)) return keys;
        var git = new Git(checkout, environment);
        for (var remote : reachable(git)) keys.add(remote.key());
        root(git).ifPresent(keys::add);
        return keys;
    }

    /** A remote that other machines can reach. */
    public record Remote(String name, RepositoryKey key) {}

    /** All remotes that other machines can reach, {@code origin} first. */
    public static List<Remote> reachable(Git git) {
        var names = git.ask("remote");
        if (!names.ok()) return List.of();
        return names.lines().stream()
                .sorted((one, other) -> Boolean.compare(other.equals("origin"), one.equals("origin")))
                .flatMap(name -> {
                    var url = git.ask("remote", "get-url", "--", name);
                    return url.ok()
                            ? ofUrl(url.lines().getFirst()).map(key -> new Remote(name, key)).stream()
                            : Optional.<Remote>empty().stream();
                })
                .toList();
    }

    /** Ignores scheme, user, port and {@code .git}. Empty for a path on this machine. */
    static Optional<RepositoryKey> ofUrl(String url) {
        var form = URL.matcher(url);
        if (!form.matches()) {
            form = SSH.matcher(url);
            if (!form.matches()) return Optional.empty();
        }
        var host = form.group(1).toLowerCase(Locale.ROOT);
        var path =
                form.group(2).replaceAll("/{2,}", "/").replaceAll("^/|/$", "").replaceAll("\\.git$", "");
        if (url.startsWith("file:") || path.isEmpty()) return Optional.empty();
        return Optional.of(new RepositoryKey(host + "/" + path));
    }

    private static Optional<RepositoryKey> root(Git git) {
        var shallow = git.ask("rev-parse", "--is-shallow-repository");
        if (!shallow.ok() || shallow.line().equals("true")) return Optional.empty();
        var root = git.ask("rev-list", "--first-parent", "--max-parents=0", "HEAD");
        return root.ok() && !root.lines().isEmpty()
                ? Optional.of(new RepositoryKey("root:" + root.lines().getLast()))
                : Optional.empty();
    }
}
