package dev.roost.conformance.agents;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** OpenCode, with the scripted model as its only provider. */
public record OpenCodeCli() implements AgentCli {

    private static final String VERSION = "1.18.33";
    private static final String CONFIG = """
            {
              "model": "scripted/model",
              "small_model": "scripted/model",
              "autoupdate": false,
              "share": "disabled",
              "enabled_providers": ["scripted"],
              "provider": {
                "scripted": {
                  "npm": "@ai-sdk/openai-compatible",
                  "name": "scripted",
                  "options": {"baseURL": "MODEL/v1", "apiKey": "dummy"},
                  "models": {
                    "model": {
                      "name": "model",
                      "cost": {"input": 1, "output": 2},
                      "limit": {"context": 200000, "output": 8000}
                    }
                  }
                }
              }
            }
            """;

    @Override
    public String name() {
        return "opencode";
    }

    @Override
    public List<String> packages() {
        return List.of("opencode-ai@" + VERSION);
    }

    @Override
    public List<String> command(Path prefix) {
        var program = prefix.resolve("node_modules/opencode-" + PackagePlatform.npm(), "bin", "opencode");
        return List.of(program.toString());
    }

    @Override
    public Map<String, String> environment(Path home, String model) {
        return Map.of(
                "OPENCODE_DISABLE_AUTOUPDATE", "1",
                "OPENCODE_DISABLE_MODELS_FETCH", "1",
                "OPENCODE_DISABLE_SHARE", "1",
                "OPENCODE_DISABLE_LSP_DOWNLOAD", "1",
                "OPENCODE_DISABLE_DEFAULT_PLUGINS", "1",
                "NPM_CONFIG_REGISTRY", model); // a package that it fetches nevertheless fails
    }

    /** In a fresh home it installs a package for plugins, with retries of 10 s and more; ours needs none. */
    @Override
    public Map<String, String> files(String model) {
        String dependencies = "{\"dependencies\": {\"@opencode-ai/plugin\": \"%s\"}}".formatted(VERSION);
        return Map.of(
                ".config/opencode/opencode.json",
                CONFIG.replace("MODEL", model),
                ".config/opencode/package.json",
                dependencies,
                ".config/opencode/package-lock.json",
                "{\"lockfileVersion\": 3, \"packages\": {\"\": %s}}".formatted(dependencies),
                ".config/opencode/node_modules/.package-lock.json",
                "{}");
    }
}
