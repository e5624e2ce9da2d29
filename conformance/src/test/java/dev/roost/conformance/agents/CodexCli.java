package dev.roost.conformance.agents;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Codex: its native program, since a kill of npm's wrapper would miss it. */
public record CodexCli() implements AgentCli {

    private static final String CONFIG = """
            model = "gpt-5.5"
            model_provider = "scripted"
            check_for_update_on_startup = false

            [model_providers.scripted]
            name = "scripted"
            base_url = "MODEL/v1"
            env_key = "SCRIPTED_KEY"
            wire_api = "responses"
            request_max_retries = 0
            stream_max_retries = 1

            [features]
            plugins = false
            apps = false
            memories = false

            [analytics]
            enabled = false
            """;

    @Override
    public String name() {
        return "codex";
    }

    @Override
    public List<String> packages() {
        return List.of("@openai/codex@0.166.0");
    }

    @Override
    public List<String> command(Path prefix) {
        var vendor = prefix.resolve("node_modules/@openai/codex-" + PackagePlatform.npm(), "vendor");
        return List.of(vendor.resolve(PackagePlatform.rust(), "bin", "codex").toString());
    }

    @Override
    public Map<String, String> environment(Path home, String model) {
        return Map.of("CODEX_HOME", home.resolve(".codex").toString(), "SCRIPTED_KEY", "dummy");
    }

    @Override
    public Map<String, String> files(String model) {
        return Map.of(".codex/config.toml", CONFIG.replace("MODEL", model));
    }
}
