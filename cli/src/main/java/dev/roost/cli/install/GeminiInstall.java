package dev.roost.cli.install;

import dev.roost.cli.client.DaemonClient;
import java.util.List;
import java.util.Optional;

/** Hooks and the MCP server in settings.json. */
final class GeminiInstall {

    private static final String NAME = "gemini";
    private static final int HOOK_MILLIS = 10_000;
    private static final int TOOL_MILLIS = 600_000;

    private GeminiInstall() {}

    static Harness of(HarnessPaths paths) {
        var directory = paths.given("GEMINI_CLI_HOME").orElseGet(paths::home).resolve(".gemini");
        var hooks = new HookGroups();
        for (var event : List.of("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd")) {
            hooks.add(
                    event,
                    group -> group.put("matcher", "*"),
                    HookGroups.command()
                            .put("name", "roost")
                            .put("command", HookGroups.line(paths, NAME, event))
                            .put("timeout", HOOK_MILLIS));
        }
        var server = DaemonClient.JSON
                .createObjectNode()
                .put("command", paths.launcher().toString());
        server.putArray("args").add("mcp").add("--harness").add(NAME);
        server.put("timeout", TOOL_MILLIS).put("trust", true);
        return new Harness(
                NAME,
                NAME,
                List.of(new JsonFileEdit(
                        directory.resolve("settings.json"), NAME, hooks.all(), List.of("mcpServers", "roost"), server)),
                Optional.empty(),
                Optional::empty,
                List.of(
                        "With \"trust\", Gemini does not ask before each call of a tool of Roost; set it to false to be asked.",
                        "An idle Gemini session cannot be woken; its notices wait for its next turn."));
    }
}
