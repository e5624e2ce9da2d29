package dev.roost.rescue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Where the tools of one user keep what they write down. */
public record ToolDirectories(Path claude, Path claudeTasks, Path openCode, Path codex, Path gemini) {

    /** As their own programs would look for it, given these variables. */
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

    /** Of somebody whose variables are not known. */
    public static ToolDirectories in(Path home) {
        return of(Map.of("HOME", home.toString()));
    }

    /** Claude Code has a directory for each user there. */
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
