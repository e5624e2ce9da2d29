package dev.roost.cli.install;

import dev.roost.cli.client.CliError;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A program that Roost can be wired into.
 *
 * @param program what it is called on the PATH
 * @param edits what is written where
 * @param fallback how it is wired in already, if it is so by other means than these
 * @param obstacle why it does not work although it is wired in, where only the harness knows
 * @param notes what a person has to know or do besides
 */
public record Harness(
        String name,
        String program,
        List<HarnessFileEdit> edits,
        Optional<String> fallback,
        Supplier<Optional<Obstacle>> obstacle,
        List<String> notes) {

    /** What a person has to do about it is {@code fix}. */
    record Obstacle(String why, String fix) {}

    public static final List<String> NAMES = List.of("claude-code", "opencode", "codex", "gemini");

    static Harness of(String name, HarnessPaths paths) {
        return switch (name) {
            case "claude-code" -> ClaudeCodeInstall.of(paths);
            case "opencode" -> OpenCodeInstall.of(paths);
            case "codex" -> CodexInstall.of(paths);
            case "gemini" -> GeminiInstall.of(paths);
            default ->
                throw new CliError(
                        CliError.USAGE,
                        "unknown_harness",
                        "There is no harness \"%s\".".formatted(name),
                        "Known harnesses: %s.".formatted(String.join(", ", NAMES)));
        };
    }
}
