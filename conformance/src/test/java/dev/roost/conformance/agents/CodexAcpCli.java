package dev.roost.conformance.agents;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Codex behind the Agent Client Protocol; reads Codex's own configuration. */
public record CodexAcpCli(CodexCli codex) implements AgentCli {

    @Override
    public String name() {
        return "codex-acp";
    }

    @Override
    public List<String> packages() {
        return List.of("@zed-industries/codex-acp@0.16.0");
    }

    @Override
    public List<String> command(Path prefix) {
        var program =
                prefix.resolve("node_modules/@zed-industries/codex-acp-" + PackagePlatform.npm(), "bin", "codex-acp");
        return List.of(program.toString());
    }

    @Override
    public Map<String, String> environment(Path home, String model) {
        return codex.environment(home, model);
    }

    @Override
    public Map<String, String> files(String model) {
        return codex.files(model);
    }
}
