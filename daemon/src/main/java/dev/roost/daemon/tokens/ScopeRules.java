package dev.roost.daemon.tokens;

import dev.roost.base.BadInput;
import dev.roost.base.TextFormat;
import dev.roost.service.RoostService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** What a scope may say. It is looked at when a person makes the token, so that nobody finds out at night. */
record ScopeRules(RoostService service) {

    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** The scope with its directories as they really are. */
    TokenScope checked(TokenScope scope) {
        var directory = real("directory", scope.directory());
        scope.agents().ifPresent(names -> names.forEach(name -> known(name, directory)));
        for (var word : scope.launcher()) {
            if (word.isBlank() || word.indexOf('\0') >= 0)
                throw new BadInput(
                        "bad_launcher", "A word of the launcher is empty.", "Give each word its --launcher.");
        }
        scope.environment().forEach(ScopeRules::variable);
        return new TokenScope(
                scope.agents(),
                directory,
                paths(scope.paths()),
                scope.maxLive(),
                scope.launcher(),
                scope.environment(),
                false);
    }

    private void known(String agent, Path directory) {
        var names = service.agents(directory).names();
        if (names.contains(agent)) return;
        throw new BadInput(
                "unknown_agent",
                "There is no agent \"%s\".".formatted(TextFormat.printable(agent)),
                "Known agents: %s.".formatted(String.join(", ", names)));
    }

    private static void variable(String name, String value) {
        if (VARIABLE.matcher(name).matches() && !name.startsWith("ROOST_") && value.indexOf('\0') < 0) return;
        throw new BadInput(
                "bad_variable",
                "\"%s\" cannot be the name of a variable for runs.".formatted(TextFormat.printable(name)),
                "Use letters, digits and _; names that begin with ROOST_ are Roost's own.");
    }

    private static Map<Path, Path> paths(Map<Path, Path> given) {
        var paths = new LinkedHashMap<Path, Path>();
        given.forEach((inside, outside) -> {
            if (!inside.isAbsolute())
                throw new BadInput(
                        "bad_path_map",
                        "The path \"%s\" is not absolute.".formatted(TextFormat.printable(inside.toString())),
                        "Write /inside=/outside, both as absolute paths.");
            paths.put(inside.normalize(), real("path map", outside));
        });
        return paths;
    }

    private static Path real(String what, Path path) {
        try {
            if (path.isAbsolute() && Files.isDirectory(path)) return path.toRealPath();
        } catch (IOException e) {
            // said below
        }
        throw new BadInput(
                "no_such_directory",
                "The %s \"%s\" is no directory here.".formatted(what, TextFormat.printable(path.toString())),
                "Pass an existing directory, as an absolute path.");
    }
}
