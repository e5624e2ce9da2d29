package dev.roost.conformance;

import dev.roost.agents.Permissions;
import dev.roost.agents.Profile;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** An agent as a user of Roost would have it: a real CLI behind one of the drivers. */
enum Subject {
    CLAUDE("claude"),
    CODEX("codex"),
    OPENCODE("opencode"),
    GEMINI("gemini"),
    CLAUDE_OVER_ACP("acp"),
    CODEX_OVER_ACP("acp"),
    OPENCODE_OVER_ACP("acp"),
    GEMINI_OVER_ACP("acp");

    private final String driver;

    Subject(String driver) {
        this.driver = driver;
    }

    Cli cli() {
        return switch (this) {
            case CLAUDE -> Clis.CLAUDE;
            case CODEX -> Clis.CODEX;
            case OPENCODE, OPENCODE_OVER_ACP -> Clis.OPENCODE;
            case GEMINI, GEMINI_OVER_ACP -> Clis.GEMINI;
            case CLAUDE_OVER_ACP -> Clis.CLAUDE_ACP;
            case CODEX_OVER_ACP -> Clis.CODEX_ACP;
        };
    }

    private List<String> arguments() {
        return switch (this) {
            case OPENCODE_OVER_ACP -> List.of("acp");
            case GEMINI_OVER_ACP -> List.of("--acp");
            default -> List.of();
        };
    }

    boolean overAcp() {
        return driver.equals("acp");
    }

    /** As it is called in the table. */
    String title() {
        return overAcp() ? cli().name().replace("-agent-acp", "").replace("-acp", "") + " over ACP" : driver;
    }

    Profile profile(Permissions permissions) throws Exception {
        return new Profile(
                "subject",
                driver,
                Stream.concat(Clis.command(cli()).stream(), arguments().stream())
                        .toList(),
                Optional.empty(),
                List.of(),
                permissions,
                Optional.empty(),
                Map.of());
    }
}
