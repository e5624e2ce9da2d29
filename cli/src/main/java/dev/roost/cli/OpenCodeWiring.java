package dev.roost.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The server in the configuration, and a plugin, which is loaded by being there. */
final class OpenCodeWiring {

    private static final String NAME = "opencode";

    private OpenCodeWiring() {}

    static Harness of(Places places) {
        var directory = places.config().resolve(NAME);
        var server = Client.JSON.createObjectNode().put("type", "local");
        server.putArray("command")
                .add(places.launcher().toString())
                .add("mcp")
                .add("--harness")
                .add(NAME);
        server.put("enabled", true);
        return new Harness(
                NAME,
                NAME,
                List.of(
                        new JsonWire(configuration(directory), NAME, Map.of(), List.of("mcp", "roost"), server),
                        new Wire.Copy(
                                plugins(directory).resolve("roost.js"),
                                places.integration("opencode/roost.js"),
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
