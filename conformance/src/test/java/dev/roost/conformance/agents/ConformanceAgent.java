package dev.roost.conformance.agents;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.Permissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** An agent as users configure it: a real CLI behind one of the drivers. */
public enum ConformanceAgent {
    CLAUDE("claude"),
    CODEX("codex"),
    OPENCODE("opencode"),
    GEMINI("gemini"),
    CLAUDE_OVER_ACP("acp"),
    CODEX_OVER_ACP("acp"),
    OPENCODE_OVER_ACP("acp"),
    GEMINI_OVER_ACP("acp");

    private final String driver;

    ConformanceAgent(String driver) {
        this.driver = driver;
    }

    public AgentCli cli() {
        return switch (this) {
            case CLAUDE -> AgentCliCatalog.CLAUDE;
            case CODEX -> AgentCliCatalog.CODEX;
            case OPENCODE, OPENCODE_OVER_ACP -> AgentCliCatalog.OPENCODE;
            case GEMINI, GEMINI_OVER_ACP -> AgentCliCatalog.GEMINI;
            case CLAUDE_OVER_ACP -> AgentCliCatalog.CLAUDE_ACP;
            case CODEX_OVER_ACP -> AgentCliCatalog.CODEX_ACP;
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

    /** Its name in the table. */
    public String title() {
        return overAcp() ? cli().name().replace("-agent-acp", "").replace("-acp", "") + " over ACP" : driver;
    }

    public AgentProfile profile(Permissions permissions) throws Exception {
        return new AgentProfile(
                "subject",
                driver,
                Stream.concat(AgentCliCatalog.command(cli()).stream(), arguments().stream())
                        .toList(),
                Optional.empty(),
                List.of(),
                permissions,
                Optional.empty(),
                Map.of());
    }
}
