package dev.roost.cli.admin;

import dev.roost.cli.client.CliErrorCode;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "create",
        description = {
            "Create a token and print its secret, which is not stored and cannot be shown again.",
            "Its holder can read and control its owner's runs, and start runs as you within these limits."
        })
final class TokenCreateCommand extends ClientCommand {

    @Option(
            names = "--owner",
            required = true,
            paramLabel = "O",
            description = "owner of its runs, such as claude:box-1")
    private String owner;

    @Option(
            names = "--agent",
            paramLabel = "A",
            description = "an agent that it may start; repeatable (default: all but command)")
    private List<String> agents = List.of();

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "the directory that its runs must work in (default: here)")
    private @Nullable String directory;

    @Option(
            names = "--path-map",
            paramLabel = "INSIDE=OUTSIDE",
            description = "a directory's path in the client's container, and here; repeatable")
    private List<String> paths = List.of();

    @Option(names = "--max-live", paramLabel = "N", description = "maximum of live runs")
    private @Nullable Integer maxLive;

    @Option(
            names = "--launcher",
            paramLabel = "WORD",
            description = "prefix of every run's command line, one word each, such as of `docker exec box`; repeatable")
    private List<String> launcher = List.of();

    @Option(
            names = "--env",
            paramLabel = "NAME=VALUE",
            description = "an environment variable for its runs; repeatable")
    private List<String> environment = List.of();

    @Option(names = "--expires", paramLabel = "TIME", description = "lifetime, such as 30d (default: unlimited)")
    private @Nullable String expires;

    @Override
    public int call(DaemonClient client) {
        var params = params().put("owner", owner).put("directory", here());
        if (!agents.isEmpty()) agents.forEach(params.putArray("agents")::add);
        if (!launcher.isEmpty()) launcher.forEach(params.putArray("launcher")::add);
        if (!paths.isEmpty()) pairs(params.putObject("paths"), "--path-map", "INSIDE=OUTSIDE", paths);
        if (!environment.isEmpty()) pairs(params.putObject("env"), "--env", "NAME=VALUE", environment);
        if (maxLive != null) params.put("max_live", maxLive);
        if (expires != null) params.put("expires", expires);
        var token = client.callOnce("token_create", TokenCommand.requirePerson(invocation, params));
        return print(token, _ -> print(client, token));
    }

    private String here() {
        try {
            return invocation.normalized(directory == null ? null : Path.of(directory));
        } catch (InvalidPathException e) {
            throw CliErrorCode.USAGE.error("--directory is not a valid path.", "Correct it.");
        }
    }

    private static void pairs(ObjectNode params, String option, String shape, List<String> given) {
        for (var pair : given) {
            int equals = pair.indexOf('=');
            if (equals < 1 || (option.equals("--path-map") && equals == pair.length() - 1)) {
                throw CliErrorCode.USAGE.error(
                        "%s is not of the form %s.".formatted(option, shape), "See `roost token create --help`.");
            }
            params.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
    }

    /** Prints only the secret to standard output, for scripts; the rest to standard error. */
    private static void print(DaemonClient client, JsonNode token) {
        System.out.println(token.path("secret").asString());
        System.err.println("%s is for %s. The secret cannot be shown again; `roost token revoke %s` revokes it."
                .formatted(
                        token.path("token_id").asString(),
                        Style.safe(token.path("owner").asString()),
                        token.path("token_id").asString()));
        var http = client.call("status", params()).path("http").asStringOpt();
        System.err.println(
                http.map(address -> "Tools: %s/mcp, hooks: %s/hooks/HARNESS/EVENT".formatted(address, address))
                        .orElse("HTTP is off (http in config.toml), so the token cannot be used yet."));
    }
}
