package dev.roost.cli.install;

import dev.roost.cli.client.CliErrorCode;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A harness that Roost can be wired into.
 *
 * @param program its name on the PATH
 * @param edits the changes to its files
 * @param fallback the other means by which Roost is wired in already, if any
 * @param obstacle why the harness does not use its entries, if so
 * @param notes what the user has to know or do
 */
public record Harness(
        String name,
        String program,
        List<HarnessFileEdit> edits,
        Optional<String> fallback,
        Supplier<Optional<Obstacle>> obstacle,
        List<String> notes) {

    /** {@code fix}: what the user has to do. */
    record Obstacle(String why, String fix) {}

    public static final List<String> NAMES = List.of("claude-code", "opencode", "codex", "gemini");

    /** A harness whose program has its name, with no fallback and no obstacle. */
    static Harness of(String name, List<HarnessFileEdit> edits, String... notes) {
        return new Harness(name, name, edits, Optional.empty(), Optional::empty, List.of(notes));
    }

    static Harness of(String name, HarnessPaths paths) {
        return switch (name) {
            case "claude-code" -> ClaudeCodeInstall.of(paths);
            case "opencode" -> OpenCodeInstall.of(paths);
            case "codex" -> CodexInstall.of(paths);
            case "gemini" -> GeminiInstall.of(paths);
            default ->
                throw CliErrorCode.UNKNOWN_HARNESS.error(
                        "There is no harness \"%s\".".formatted(name),
                        "Known harnesses: %s.".formatted(String.join(", ", NAMES)));
        };
    }
}
