package dev.roost.cli;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The environment variables and the working directory that a command line is called with.
 *
 * @param directory absolute
 */
record Invocation(Map<String, String> environment, Path directory) {

    static Invocation ofThisProcess() {
        return new Invocation(System.getenv(), Path.of("").toAbsolutePath());
    }

    Path home() {
        return HomePath.of(environment);
    }

    Identity identity() {
        return Identity.of(environment, System.getProperty("user.name"));
    }

    Optional<String> variable(String name) {
        return Optional.ofNullable(environment.get(name));
    }

    /** A path as the caller means it. */
    Path absolute(Path given) {
        return directory.resolve(given);
    }
}
