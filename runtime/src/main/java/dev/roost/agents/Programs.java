package dev.roost.agents;

import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Finds programs on a PATH. */
public final class Programs {

    private static final String USUAL_PATH = "/usr/local/bin:/usr/bin:/bin";

    private Programs() {}

    public static void require(String program, Path cwd, Map<String, String> environment, String hint) {
        if (!program.isEmpty() && find(program, cwd, environment).isPresent()) return;
        throw ErrorCode.NO_SUCH_EXECUTABLE.error(
                "There is no executable \"%s\"%s."
                        .formatted(TextFormat.printable(program), program.contains("/") ? "" : " on the PATH"),
                hint);
    }

    public static Optional<Path> find(String program, Path cwd, Map<String, String> environment) {
        if (program.indexOf('\0') >= 0) return Optional.empty();
        if (program.contains("/")) return executable(cwd.resolve(program));
        for (var directory : environment.getOrDefault("PATH", USUAL_PATH).split(":", -1)) {
            if (directory.indexOf('\0') >= 0) continue; // there is no such directory
            var found = executable(cwd.resolve(directory).resolve(program));
            if (found.isPresent()) return found;
        }
        return Optional.empty();
    }

    private static Optional<Path> executable(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file) ? Optional.of(file) : Optional.empty();
    }
}
