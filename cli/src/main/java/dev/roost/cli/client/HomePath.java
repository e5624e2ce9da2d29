package dev.roost.cli.client;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** {@code $ROOST_HOME}, else where programs keep their state. What is empty counts as not set. */
public final class HomePath {

    private HomePath() {}

    public static Path of(Map<String, String> environment) {
        return find(environment).orElseThrow(HomePath::unknown);
    }

    /** Empty if nobody says it: then no directory will do, least of all the one we happen to be in. */
    public static Optional<Path> find(Map<String, String> environment) {
        String given = environment.getOrDefault("ROOST_HOME", "");
        if (!given.isEmpty()) return Optional.of(Path.of(given).toAbsolutePath());
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        if (state.startsWith("/")) return Optional.of(Path.of(state, "roost"));
        return user(environment).map(user -> user.resolve(Path.of(".local", "state", "roost")));
    }

    /** The user's own directory. */
    public static Optional<Path> user(Map<String, String> environment) {
        String given = environment.getOrDefault("HOME", "");
        return Optional.of(Path.of(given.isEmpty() ? System.getProperty("user.home") : given))
                .filter(Path::isAbsolute); // Java calls it ? if the user is in no list
    }

    public static CliError unknown() {
        return new CliError(
                CliError.NO_DAEMON,
                "no_home",
                "HOME is not set, so nobody knows where your runs are.",
                "Set HOME, or ROOST_HOME.");
    }
}
