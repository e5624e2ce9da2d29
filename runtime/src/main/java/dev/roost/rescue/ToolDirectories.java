package dev.roost.rescue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The directories and files in which the tools of one user store their sessions. */
public record ToolDirectories(Path claude, Path claudeTasks, Path openCode, Path codex, Path gemini) {

    /** The directories that the tools use with these environment variables. */
    public static ToolDirectories of(Map<String, String> variables) {
        var home = path(variables, "HOME").orElseGet(() -> Path.of(System.getProperty("user.home")));
        return new ToolDirectories(
                path(variables, "CLAUDE_CONFIG_DIR").orElse(home.resolve(".claude")),
                tasks(home, path(variables, "CLAUDE_CODE_TMPDIR").orElse(Path.of("/tmp"))),
                path(variables, "XDG_DATA_HOME")
                        .orElse(home.resolve(".local", "share"))
                        .resolve("opencode", "opencode.db"),
                path(variables, "CODEX_HOME").orElse(home.resolve(".codex")),
                path(variables, "GEMINI_CLI_HOME").orElse(home).resolve(".gemini"));
    }

    /** The entries of a directory; none if it does not exist. */
    static List<Path> entries(Path folder, String names) throws IOException {
        if (!Files.isDirectory(folder)) return List.of();
        var found = new ArrayList<Path>();
        try (var files = Files.newDirectoryStream(folder, names)) {
            files.forEach(found::add);
        }
        found.sort(null);
        return found;
    }

    /** The directories of a user whose environment variables are unknown. */
    public static ToolDirectories in(Path home) {
        return of(Map.of("HOME", home.toString()));
    }

    /** Claude Code's directory for the tasks of this user. */
    private static Path tasks(Path home, Path base) {
        try {
            return base.resolve("claude-" + Files.getAttribute(home, "unix:uid"));
        } catch (IOException | UnsupportedOperationException e) {
            return base.resolve("claude-0");
        }
    }

    private static Optional<Path> path(Map<String, String> variables, String name) {
        try {
            return Optional.ofNullable(variables.get(name))
                    .filter(text -> !text.isBlank())
                    .map(Path::of)
                    .filter(Path::isAbsolute);
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }
}
