package dev.roost.cli.install;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.edit.JsonDocumentEdit;
import dev.roost.cli.edit.NotEditable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
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
        var hooks = new LinkedHashMap<String, ObjectNode>();
        for (var event :
                List.of("SessionStart", "UserPromptSubmit", "PostToolBatch", "Stop", "StopFailure", "SessionEnd"))
            hooks.put(
                    event,
                    event.equals("Stop")
                            ? JsonFileEdit.group(hook(paths, event), wakeHook(paths))
                            : JsonFileEdit.group(hook(paths, event)));
        return new Harness(
                NAME,
                "claude",
                List.of(
                        JsonFileEdit.ofHooks(settings, NAME, hooks),
                        JsonFileEdit.ofServer(
                                given.orElseGet(paths::home).resolve(".claude.json"),
                                NAME,
                                List.of("mcpServers", "roost"),
                                paths.mcpCommand(ClientCommand.params().put("type", "stdio"))),
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
        var hook = JsonFileEdit.hook(paths.launcher().toString());
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
