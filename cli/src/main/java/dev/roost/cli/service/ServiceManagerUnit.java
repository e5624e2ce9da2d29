package dev.roost.cli.service;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.HomePath;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How the machine's own supervisor keeps the daemon running: by a file, and by being told of it. */
public interface ServiceManagerUnit {

    Path file();

    String text();

    /** Tells the supervisor of the file and lets it start the daemon, which {@code makeRoom} makes way for. */
    ServiceResult enable(Runnable makeRoom);

    /** Tells the supervisor to let go; {@code remove} takes the file away. */
    ServiceResult disable(Runnable remove);

    /** What came of it, in sentences. */
    record ServiceResult(boolean done, boolean failed, List<String> sentences) {}

    static ServiceManagerUnit ofThisMachine(Map<String, String> environment) {
        var launcher = Optional.ofNullable(System.getProperty("roost.launcher"))
                .map(Path::of)
                .orElseThrow(() -> new CliError(
                        CliError.FAILED,
                        "no_launcher",
                        "Nobody said where the launcher is.",
                        "Call this by the file `roost`, not by java."));
        var userHome = Path.of(System.getProperty("user.home"));
        // another process may have another environment, so a home that comes from it is written down
        boolean chosen = isSet(environment, "ROOST_HOME") || isSet(environment, "XDG_STATE_HOME");
        Optional<Path> home = chosen ? Optional.of(HomePath.of(environment)) : Optional.empty();
        if (System.getProperty("os.name").startsWith("Mac"))
            return new LaunchdJob(userHome, launcher, home, Optional.ofNullable(environment.get("PATH")));
        String config = environment.getOrDefault("XDG_CONFIG_HOME", "");
        return new SystemdUnit(config.startsWith("/") ? Path.of(config) : userHome.resolve(".config"), launcher, home);
    }

    private static boolean isSet(Map<String, String> environment, String name) {
        return !environment.getOrDefault(name, "").isEmpty();
    }
}
