package dev.roost.daemon.tokens;

import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import dev.roost.service.RoostService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Validates a scope when the token is made, so that an error does not first appear when a run starts. */
record ScopeRules(RoostService service) {

    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** Checks the scope, and returns it with real paths. */
    TokenScope checked(TokenScope scope) {
        var directory = realDirectory("directory", scope.directory());
        scope.agents().ifPresent(names -> names.forEach(name -> requireAgent(name, directory)));
        for (var word : scope.launcher()) {
            if (word.isBlank() || word.indexOf('\0') >= 0)
                throw ErrorCode.BAD_LAUNCHER.error("An argument of the launcher is empty.");
        }
        scope.environment().forEach(ScopeRules::checkVariable);
        return new TokenScope(
                scope.agents(),
                directory,
                paths(scope.paths()),
                scope.maxLive(),
                scope.launcher(),
                scope.environment(),
                false);
    }

    private void requireAgent(String agent, Path directory) {
        var names = service.agents(directory).names();
        if (names.contains(agent)) return;
        throw ErrorCode.UNKNOWN_AGENT.error(
                "There is no agent \"%s\".".formatted(TextFormat.printable(agent)),
                "Known agents: %s.".formatted(String.join(", ", names)));
    }

    private static void checkVariable(String name, String value) {
        if (VARIABLE.matcher(name).matches() && !name.startsWith("ROOST_") && value.indexOf('\0') < 0) return;
        throw ErrorCode.BAD_VARIABLE.error(
                "\"%s\" is not a valid variable for runs.".formatted(TextFormat.printable(name)));
    }

    private static Map<Path, Path> paths(Map<Path, Path> scopePaths) {
        var paths = new LinkedHashMap<Path, Path>();
        scopePaths.forEach((inside, outside) -> {
            if (!inside.isAbsolute())
                throw ErrorCode.BAD_PATH_MAP.error(
                        "The path \"%s\" is not absolute.".formatted(TextFormat.printable(inside.toString())));
            paths.put(inside.normalize(), realDirectory("path map", outside));
        });
        return paths;
    }

    private static Path realDirectory(String what, Path path) {
        try {
            if (path.isAbsolute() && Files.isDirectory(path)) return path.toRealPath();
        } catch (IOException e) {
            // reported below
        }
        throw ErrorCode.NO_SUCH_DIRECTORY.error(
                "The %s \"%s\" is not a directory here.".formatted(what, TextFormat.printable(path.toString())));
    }
}
