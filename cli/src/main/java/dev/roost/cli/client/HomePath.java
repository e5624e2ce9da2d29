package dev.roost.cli.client;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** {@code $ROOST_HOME}, else a directory below the user's state directory. An empty variable counts as not set. */
public final class HomePath {

    private HomePath() {}

    public static Path of(Map<String, String> environment) {
        return find(environment).orElseThrow(HomePath::unknown);
    }

    /** Empty if no variable names it; the working directory is no fallback. */
    public static Optional<Path> find(Map<String, String> environment) {
        String value = environment.getOrDefault("ROOST_HOME", "");
        if (!value.isEmpty()) return Optional.of(Path.of(value).toAbsolutePath());
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        if (state.startsWith("/")) return Optional.of(Path.of(state, "roost"));
        return user(environment).map(user -> user.resolve(Path.of(".local", "state", "roost")));
    }

    /** The user's home directory. */
    public static Optional<Path> user(Map<String, String> environment) {
        String value = environment.getOrDefault("HOME", "");
        return Optional.of(Path.of(value.isEmpty() ? System.getProperty("user.home") : value))
                .filter(Path::isAbsolute); // Java's user.home is ? for a user without a passwd entry
    }

    public static CliError unknown() {
        return CliErrorCode.NO_HOME.error("HOME is not set, so Roost cannot find your runs.");
    }
}
