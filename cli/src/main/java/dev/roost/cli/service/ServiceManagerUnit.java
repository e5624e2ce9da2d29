package dev.roost.cli.service;

import dev.roost.cli.client.CliErrorCode;
import dev.roost.cli.client.HomePath;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The daemon as a service of systemd or launchd: a file, and commands that enable and disable it. */
public interface ServiceManagerUnit {

    Path file();

    String text();

    /** Enables the service and starts the daemon; {@code stopDaemon} stops the present daemon first. */
    ServiceResult enable(Runnable stopDaemon);

    /** Stops and disables the service; {@code remove} deletes the file. */
    ServiceResult disable(Runnable remove);

    /** The result, and sentences for the user; neither done nor failed if the service manager cannot be reached. */
    record ServiceResult(boolean done, boolean failed, List<String> sentences) {
        static ServiceResult done(String... sentences) {
            return new ServiceResult(true, false, List.of(sentences));
        }

        static ServiceResult undone(String... sentences) {
            return new ServiceResult(false, false, List.of(sentences));
        }

        static ServiceResult failed(String... sentences) {
            return new ServiceResult(false, true, List.of(sentences));
        }

        static ServiceResult stopped() {
            return done("The daemon is stopped; agents continue. The next command starts another daemon.");
        }
    }

    static ServiceManagerUnit ofThisMachine(Map<String, String> environment) {
        var launcher = Optional.ofNullable(System.getProperty("roost.launcher"))
                .map(Path::of)
                .orElseThrow(() -> CliErrorCode.NO_LAUNCHER.error("The launcher's path is unknown."));
        var userHome = Path.of(System.getProperty("user.home"));
        // the service has another environment, so a home from variables is written to the file
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
