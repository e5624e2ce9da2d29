package dev.roost.cli.install;

import dev.roost.cli.client.DaemonClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The server in the configuration, and a plugin, which is loaded by being there. */
final class OpenCodeInstall {

    private static final String NAME = "opencode";

    private OpenCodeInstall() {}

    static Harness of(HarnessPaths paths) {
        var directory = paths.config().resolve(NAME);
        var server = DaemonClient.JSON.createObjectNode().put("type", "local");
        server.putArray("command")
                .add(paths.launcher().toString())
                .add("mcp")
                .add("--harness")
                .add(NAME);
        server.put("enabled", true);
        return new Harness(
                NAME,
                NAME,
                List.of(
                        new JsonFileEdit(configuration(directory), NAME, Map.of(), List.of("mcp", "roost"), server),
                        new HarnessFileEdit.FileCopy(
                                plugins(directory).resolve("roost.js"),
                                paths.integration("opencode/roost.js"),
                                "Roost in OpenCode")),
                Optional.empty(),
                Optional::empty,
                List.of(
                        "At its first start with a plugin, OpenCode fetches what plugins need, which takes a minute without a network."));
    }

    private static Path configuration(Path directory) {
        var commented = directory.resolve("opencode.jsonc");
        var plain = directory.resolve("opencode.json");
        return Files.exists(commented) && !Files.exists(plain) ? commented : plain;
    }

    /** Both are read; where ours is already, it stays, else it goes where others are. */
    private static Path plugins(Path directory) {
        var one = directory.resolve("plugin");
        var many = directory.resolve("plugins");
        boolean there = Files.exists(one.resolve("roost.js"));
        return !there && Files.isDirectory(many) ? many : one;
    }
}
