package dev.roost.conformance.agents;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Claude Code; needs no files. */
public record ClaudeCli() implements AgentCli {

    @Override
    public String name() {
        return "claude";
    }

    @Override
    public List<String> packages() {
        return List.of("@anthropic-ai/claude-code@2.1.325");
    }

    @Override
    public List<String> command(Path prefix) {
        var program = prefix.resolve("node_modules/@anthropic-ai/claude-code-" + PackagePlatform.npm(), "claude");
        return List.of(program.toString());
    }

    @Override
    public Map<String, String> environment(Path home, String model) {
        return Map.of(
                "ANTHROPIC_BASE_URL", model,
                "ANTHROPIC_API_KEY", "dummy",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1",
                "CLAUDE_CODE_MAX_RETRIES", "1",
                "DISABLE_AUTOUPDATER", "1",
                "DISABLE_TELEMETRY", "1",
                "DISABLE_ERROR_REPORTING", "1",
                "IS_SANDBOX", "1"); // otherwise it refuses to skip permissions as root
    }
}
