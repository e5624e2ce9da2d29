package dev.roost.cli.admin;

import dev.roost.cli.client.CliError;
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
            "Make a token, and print its secret: this once, for it is kept nowhere.",
            "Whoever has it sees and touches the runs of its owner, and starts runs as you, within what follows."
        })
final class TokenCreateCommand extends ClientCommand {

    @Option(names = "--owner", required = true, paramLabel = "O", description = "whose runs, such as claude:box-1")
    @SuppressWarnings("NullAway.Init")
    private String owner;

    @Option(
            names = "--agent",
            paramLabel = "A",
            description = "may start this agent; repeatable (default: all but command)")
    private List<String> agents = List.of();

    @Option(names = "--directory", paramLabel = "DIR", description = "its runs work inside of it (default: here)")
    private @Nullable String directory;

    @Option(
            names = "--path-map",
            paramLabel = "INSIDE=OUTSIDE",
            description = "what a directory is called in the client's container, and here; repeatable")
    private List<String> paths = List.of();

    @Option(names = "--max-live", paramLabel = "N", description = "at most so many live runs at once")
    private @Nullable Integer maxLive;

    @Option(
            names = "--launcher",
            paramLabel = "WORD",
            description =
                    "put before the command line of every run, a word each, such as of `docker exec box`; repeatable")
    private List<String> launcher = List.of();

    @Option(names = "--env", paramLabel = "NAME=VALUE", description = "a variable for its runs; repeatable")
    private List<String> environment = List.of();

    @Option(names = "--expires", paramLabel = "TIME", description = "after this long, such as 30d (default: never)")
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
        var made = client.callOnce("token_create", TokenCommand.persons(invocation, params));
        if (json) printJson(made);
        else print(client, made);
        return 0;
    }

    private String here() {
        try {
            return invocation
                    .absolute(Path.of(directory == null ? "" : directory))
                    .normalize()
                    .toString();
        } catch (InvalidPathException e) {
            throw new CliError(CliError.USAGE, "usage", "--directory is no possible path.", "Correct it.");
        }
    }

    private static void pairs(ObjectNode params, String option, String shape, List<String> given) {
        for (var pair : given) {
            int equals = pair.indexOf('=');
            if (equals < 1 || (option.equals("--path-map") && equals == pair.length() - 1)) {
                throw new CliError(
                        CliError.USAGE,
                        "usage",
                        "%s is not of the form %s.".formatted(option, shape),
                        "`roost token create --help` shows how.");
            }
            params.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
    }

    /** The secret alone on standard output, for a script; the rest is for people. */
    private static void print(DaemonClient client, JsonNode made) {
        System.out.println(made.path("secret").asString());
        System.err.println("%s is for %s. The secret is shown this once; `roost token revoke %s` takes it back."
                .formatted(
                        made.path("token_id").asString(),
                        Style.safe(made.path("owner").asString()),
                        made.path("token_id").asString()));
        var http = client.call("status", params()).path("http").asStringOpt();
        System.err.println(
                http.map(address -> "Tools: %s/mcp, hooks: %s/hooks/HARNESS/EVENT".formatted(address, address))
                        .orElse("HTTP is off (http in config.toml), so nobody can use it yet."));
    }
}
