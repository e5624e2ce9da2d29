package dev.roost.conformance.agents;

import dev.roost.conformance.model.JsonObjects;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The plugin for Claude Code, with a monitor in place of its waiting hook. */
public final class ClaudeCodePlugin {

    private ClaudeCodePlugin() {}

    /** Copies it into that directory. */
    public static Path in(Path user) throws IOException {
        var plugin = user.resolve("plugin");
        var source = Path.of("..", "integrations", "claude-code");
        try (var files = Files.walk(source)) {
            for (var file : files.toList())
                Files.copy(file, plugin.resolve(source.relativize(file).toString()));
        }
        var hooks = plugin.resolve("hooks/hooks.json");
        var json = (ObjectNode) JsonObjects.MAPPER.readTree(Files.readString(hooks));
        ((ArrayNode) json.path("hooks").path("Stop").get(0).path("hooks")).remove(1);
        Files.writeString(hooks, json.toString());
        Files.createDirectories(plugin.resolve("monitors"));
        Files.writeString(
                plugin.resolve("monitors/monitors.json"),
                "[{\"name\": \"roost\", \"command\": \"roost hook claude-code Monitor\", \"description\": \"Roost\"}]");
        return plugin;
    }
}
