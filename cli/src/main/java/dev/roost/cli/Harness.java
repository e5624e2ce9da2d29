package dev.roost.cli;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A program that Roost can be wired into.
 *
 * @param program what it is called on the PATH
 * @param wires what is written where
 * @param otherwise how it is wired in already, if it is so by other means than these
 * @param obstacle why it does not work although it is wired in, where only the harness knows
 * @param notes what a person has to know or do besides
 */
record Harness(
        String name,
        String program,
        List<Wire> wires,
        Optional<String> otherwise,
        Supplier<Optional<Obstacle>> obstacle,
        List<String> notes) {

    /** What a person has to do about it is {@code fix}. */
    record Obstacle(String why, String fix) {}

    static final List<String> NAMES = List.of("claude-code", "opencode", "codex", "gemini");

    static Harness of(String name, Places places) {
        return switch (name) {
            case "claude-code" -> ClaudeCodeWiring.of(places);
            case "opencode" -> OpenCodeWiring.of(places);
            case "codex" -> CodexWiring.of(places);
            case "gemini" -> GeminiWiring.of(places);
            default ->
                throw new CliError(
                        CliError.USAGE,
                        "unknown_harness",
                        "There is no harness \"%s\".".formatted(name),
                        "Known harnesses: %s.".formatted(String.join(", ", NAMES)));
        };
    }
}
