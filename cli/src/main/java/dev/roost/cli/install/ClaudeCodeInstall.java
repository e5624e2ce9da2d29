package dev.roost.cli.install;

import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.edit.JsonDocumentEdit;
import dev.roost.cli.edit.NotEditable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Hooks in settings.json, the MCP server in .claude.json, and a skill. */
final class ClaudeCodeInstall {

    private static final String NAME = "claude-code";
    private static final int TIMEOUT_SECONDS = 10;
    private static final int WAITER_TIMEOUT_SECONDS = 86_400;

    private ClaudeCodeInstall() {}

    static Harness of(HarnessPaths paths) {
        var given = paths.given("CLAUDE_CONFIG_DIR");
        var directory = given.orElseGet(() -> paths.home().resolve(".claude"));
        var settings = directory.resolve("settings.json");
        var hooks = new HookGroups();
        for (var event :
                List.of("SessionStart", "UserPromptSubmit", "PostToolBatch", "Stop", "StopFailure", "SessionEnd")) {
            if (event.equals("Stop")) hooks.add(event, hook(paths, event), wakeHook(paths));
            else hooks.add(event, hook(paths, event));
        }
        var server = DaemonClient.JSON
                .createObjectNode()
                .put("type", "stdio")
                .put("command", paths.launcher().toString());
        server.putArray("args").add("mcp");
        return new Harness(
                NAME,
                "claude",
                List.of(
                        new JsonFileEdit(settings, NAME, hooks.all(), List.of(), server),
                        new JsonFileEdit(
                                given.orElseGet(paths::home).resolve(".claude.json"),
                                NAME,
                                Map.of(),
                                List.of("mcpServers", "roost"),
                                server),
                        new HarnessFileEdit.FileCopy(
                                directory.resolve("skills/roost/SKILL.md"),
                                paths.integration("claude-code/skills/roost/SKILL.md"),
                                "Part of Roost")),
                plugin(settings),
                Optional::empty,
                List.of("Claude Code asks before it first uses each tool of Roost; allow mcp__roost to prevent that."));
    }

    /** A hook without a shell, so its arguments need no quotes. */
    private static ObjectNode hook(HarnessPaths paths, String event) {
        var hook = HookGroups.command().put("command", paths.launcher().toString());
        hook.putArray("args").add("hook").add(NAME).add(event);
        return hook.put("timeout", TIMEOUT_SECONDS);
    }

    /** A background hook that wakes an idle session; its text follows {@code rewakeMessage}. */
    private static ObjectNode wakeHook(HarnessPaths paths) {
        return hook(paths, "Wake")
                .put("timeout", WAITER_TIMEOUT_SECONDS)
                .put("asyncRewake", true)
                .put("rewakeMessage", "Roost:")
                .put("rewakeSummary", "Roost: news of background runs");
    }

    private static Optional<String> plugin(Path settings) {
        try {
            if (!Files.exists(settings)) return Optional.empty();
            return JsonDocumentEdit.read(Files.readString(settings))
                    .path("enabledPlugins")
                    .propertyStream()
                    .filter(plugin -> plugin.getKey().startsWith("roost@")
                            && plugin.getValue().asBoolean(false))
                    .map(plugin -> "the plugin " + plugin.getKey())
                    .findFirst();
        } catch (IOException | NotEditable e) {
            return Optional.empty(); // an edit of the file reports the error
        }
    }
}
