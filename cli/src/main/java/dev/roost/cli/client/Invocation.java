package dev.roost.cli.client;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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

    /** The same as normalized text; without a path, the working directory. */
    public String normalized(@Nullable Path path) {
        return directory.resolve(path == null ? Path.of("") : path).normalize().toString();
    }

    /** The version of this program. */
    public static String version() {
        return System.getProperty("roost.version", "0.1.0");
    }
}
