package dev.roost.conformance.agents;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Gemini CLI, with a fixed model, because choosing one costs an extra request before each prompt. */
public record GeminiCli() implements AgentCli {

    private static final String SETTINGS = """
            {
              "model": {"name": "gemini-2.5-pro"},
              "security": {"auth": {"selectedType": "gemini-api-key"}},
              "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
              "privacy": {"usageStatisticsEnabled": false},
              "telemetry": {"enabled": false}
            }
            """;

    @Override
    public String name() {
        return "gemini";
    }

    @Override
    public List<String> packages() {
        return List.of("@google/gemini-cli@0.61.0");
    }

    @Override
    public List<String> command(Path prefix) {
        return List.of(
                "node",
                prefix.resolve("node_modules/@google/gemini-cli/bundle/gemini.js")
                        .toString());
    }

    @Override
    public Map<String, String> environment(Path home, String model) {
        return Map.of(
                "GOOGLE_GEMINI_BASE_URL", model,
                "GEMINI_API_KEY", "dummy",
                "GEMINI_TELEMETRY_ENABLED", "false",
                "GEMINI_CLI_TRUST_WORKSPACE", "true",
                "GEMINI_CLI_NO_RELAUNCH", "true"); // otherwise signals do not reach the working process
    }

    @Override
    public Map<String, String> files(String model) {
        return Map.of(".gemini/settings.json", SETTINGS);
    }
}
