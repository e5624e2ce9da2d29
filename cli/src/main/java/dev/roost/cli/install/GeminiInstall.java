package dev.roost.cli.install;

import dev.roost.cli.client.ClientCommand;
import java.util.LinkedHashMap;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** Hooks and the MCP server in settings.json. */
final class GeminiInstall {

    private static final String NAME = "gemini";
    private static final int HOOK_MILLIS = 10_000;
    private static final int TOOL_MILLIS = 600_000;

    private GeminiInstall() {}

    static Harness of(HarnessPaths paths) {
        var directory = paths.given("GEMINI_CLI_HOME").orElseGet(paths::home).resolve(".gemini");
        var hooks = new LinkedHashMap<String, ObjectNode>();
        for (var event : List.of("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd")) {
            var hook = ClientCommand.params().put("type", "command").put("name", "roost");
            hook.put("command", paths.hookLine(NAME, event)).put("timeout", HOOK_MILLIS);
            var group = ClientCommand.params().put("matcher", "*");
            group.putArray("hooks").add(hook);
            hooks.put(event, group);
        }
        var server = paths.mcpCommand(ClientCommand.params(), "--harness", NAME)
                .put("timeout", TOOL_MILLIS)
                .put("trust", true);
        var settings = directory.resolve("settings.json");
        return Harness.of(
                NAME,
                List.of(new JsonFileEdit(settings, NAME, hooks, List.of("mcpServers", "roost"), server)),
                "With \"trust\", Gemini does not ask before each call of a tool of Roost; set it to false to be asked.",
                "An idle Gemini session cannot be woken; its notices wait for its next turn.");
    }
}
