package dev.roost.cli.client;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The environment variables and the working directory that a command line is called with.
 *
 * @param directory absolute
 */
public record Invocation(Map<String, String> environment, Path directory) {

    public static Invocation ofThisProcess() {
        return new Invocation(System.getenv(), Path.of("").toAbsolutePath());
    }

    public Path home() {
        return HomePath.of(environment);
    }

    CallerIdentity identity() {
        return CallerIdentity.of(environment, System.getProperty("user.name"));
    }

    public Optional<String> variable(String name) {
        return Optional.ofNullable(environment.get(name));
    }

    /** Resolves a path against the caller's working directory. */
    public Path absolute(Path path) {
        return directory.resolve(path);
    }
}
