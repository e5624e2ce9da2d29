package dev.roost.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The plugin for Claude Code, with a monitor instead of its waiting hook. */
final class ClaudePlugin {

    private ClaudePlugin() {}

    /** A copy in that directory. */
    static Path in(Path user) throws IOException {
        var plugin = user.resolve("plugin");
        var source = Path.of("..", "integrations", "claude-code");
        try (var files = Files.walk(source)) {
            for (var file : files.toList())
                Files.copy(file, plugin.resolve(source.relativize(file).toString()));
        }
        var hooks = plugin.resolve("hooks/hooks.json");
        var json = (ObjectNode) Json.MAPPER.readTree(Files.readString(hooks));
        ((ArrayNode) json.path("hooks").path("Stop").get(0).path("hooks")).remove(1);
        Files.writeString(hooks, json.toString());
        Files.createDirectories(plugin.resolve("monitors"));
        Files.writeString(
                plugin.resolve("monitors/monitors.json"),
                "[{\"name\": \"roost\", \"command\": \"roost hook claude-code Monitor\", \"description\": \"Roost\"}]");
        return plugin;
    }
}
