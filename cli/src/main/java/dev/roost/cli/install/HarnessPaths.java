package dev.roost.cli.install;

import dev.roost.cli.client.CliErrorCode;
import dev.roost.cli.client.HomePath;
import dev.roost.cli.client.Invocation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** Paths of the harnesses' files and of Roost's. */
public record HarnessPaths(Map<String, String> environment, Path launcher, Path share) {

    public static HarnessPaths of(Invocation invocation) {
        String launcher = System.getProperty("roost.launcher");
        if (launcher == null) throw new IllegalStateException("the launcher did not set roost.launcher");
        String share = System.getProperty("roost.share");
        return new HarnessPaths(
                invocation.environment(),
                Path.of(launcher),
                share == null ? Path.of(launcher).resolveSibling("") : Path.of(share));
    }

    Optional<Path> given(String variable) {
        return Optional.ofNullable(environment.get(variable))
                .filter(value -> !value.isEmpty())
                .map(value -> Path.of(value).toAbsolutePath());
    }

    Path home() {
        return HomePath.user(environment).orElseThrow(HomePath::unknown);
    }

    Path config() {
        return given("XDG_CONFIG_HOME").orElseGet(() -> home().resolve(".config"));
    }

    Optional<Path> onPath(String program) {
        return Stream.of(environment.getOrDefault("PATH", "").split(":", -1))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, program))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst();
    }

    /** Adds the command of the MCP server, with more arguments. */
    ObjectNode mcpCommand(ObjectNode server, String... more) {
        server.put("command", launcher.toString()).putArray("args").add("mcp");
        Stream.of(more).forEach(server.withArray("args")::add);
        return server;
    }

    /** A command line for harnesses that run hooks in a shell. */
    String hookLine(String harness, String event) {
        boolean plain = launcher.toString().matches("[A-Za-z0-9_./+@%:,-]+");
        var program = plain ? launcher.toString() : "'" + launcher.toString().replace("'", "'\\''") + "'";
        return "%s hook %s %s".formatted(program, harness, event);
    }

    /** The content of a file that is part of Roost. */
    String integration(String name) {
        var file = share.resolve("integrations").resolve(name);
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw CliErrorCode.INCOMPLETE.error("%s, a file of Roost, cannot be read.".formatted(file));
        }
    }
}
