package dev.roost.cli.install;

import dev.roost.cli.client.ClientCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The MCP server in the configuration, and a plugin file, which OpenCode loads from its directory. */
final class OpenCodeInstall {

    private static final String NAME = "opencode";

    private OpenCodeInstall() {}

    static Harness of(HarnessPaths paths) {
        var directory = paths.config().resolve(NAME);
        var server = ClientCommand.params().put("type", "local");
        List.of(paths.launcher().toString(), "mcp", "--harness", NAME).forEach(server.putArray("command")::add);
        server.put("enabled", true);
        return Harness.of(
                NAME,
                List.of(
                        JsonFileEdit.ofServer(configuration(directory), NAME, List.of("mcp", "roost"), server),
                        new HarnessFileEdit.FileCopy(
                                plugins(directory).resolve("roost.js"),
                                paths.integration("opencode/roost.js"),
                                "Roost in OpenCode")),
                "At its first start with a plugin, OpenCode downloads dependencies; without a network, that takes a minute.");
    }

    private static Path configuration(Path directory) {
        var commented = directory.resolve("opencode.jsonc");
        var plain = directory.resolve("opencode.json");
        return Files.exists(commented) && !Files.exists(plain) ? commented : plain;
    }

    /** OpenCode reads both directories; prefers the singular that has Roost's plugin, then an existing singular. */
    private static Path plugins(Path directory) {
        var singular = directory.resolve("plugin");
        var plural = directory.resolve("plugins");
        boolean installed = Files.exists(singular.resolve("roost.js"));
        return !installed && Files.isDirectory(plural) ? plural : singular;
    }
}
