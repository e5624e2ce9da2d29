package dev.roost.conformance.agents;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Claude Code behind the Agent Client Protocol; installs a newer Node, which it needs. */
public record ClaudeAcpCli(ClaudeCli claude) implements AgentCli {

    @Override
    public String name() {
        return "claude-agent-acp";
    }

    @Override
    public List<String> packages() {
        return List.of("@agentclientprotocol/claude-agent-acp@0.99.0", "node@22.23.3");
    }

    @Override
    public List<String> command(Path prefix) {
        var modules = prefix.resolve("node_modules");
        return List.of(
                modules.resolve("node/bin/node").toString(),
                modules.resolve("@agentclientprotocol/claude-agent-acp/dist/index.js")
                        .toString());
    }

    @Override
    public Map<String, String> environment(Path home, String model) {
        return claude.environment(home, model);
    }
}
