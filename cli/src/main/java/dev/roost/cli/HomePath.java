package dev.roost.cli;

import java.nio.file.Path;
import java.util.Map;

/** {@code $ROOST_HOME}, else where programs keep their state. */
final class HomePath {

    private HomePath() {}

    static Path of(Map<String, String> environment) {
        String given = environment.get("ROOST_HOME");
        if (given != null && !given.isEmpty()) return Path.of(given).toAbsolutePath();
        String state = environment.get("XDG_STATE_HOME");
        if (state != null && state.startsWith("/")) return Path.of(state, "roost");
        return Path.of(environment.getOrDefault("HOME", System.getProperty("user.home")), ".local", "state", "roost");
    }
}
