package dev.roost.cli.admin;

import dev.roost.cli.client.CliErrorCode;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.InteractiveUser;
import dev.roost.cli.client.StandardInput;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.TextTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

@Command(
        name = "trust",
        description = {
            "Trust the present content of a project's .roost.toml.",
            "Shows the file and asks; trust allows its agents and its files and commands for new",
            "worktrees, for this exact content in this place.",
            "Only a person may trust. Settings that tighten limits apply without trust."
        })
public final class TrustCommand extends ClientCommand {

    @Parameters(paramLabel = "DIR", arity = "0..1", description = "the project (default: here)")
    private @Nullable Path directory;

    @Option(names = "--list", description = "list the trusted files")
    private boolean list;

    @Option(names = "--revoke", description = "revoke the trust of the project's file, for any content")
    private boolean revoke;

    @Option(names = "--yes", description = "do not ask")
    private boolean yes;

    @Override
    public int call(DaemonClient client) {
        if (list && revoke)
            throw CliErrorCode.USAGE.error("--list and --revoke do not go together.", "Omit one of them.");
        if (list) return print(client.call("trusted", params()), TrustCommand::print);
        requirePerson("trust a project", "roost trust");
        var where = invocation.normalized(directory);
        return revoke ? revoke(client, where) : trust(client, where);
    }

    private static void print(JsonNode answer) {
        var rows = new ArrayList<List<String>>();
        for (var one : answer.path("trusted")) {
            rows.add(List.of(
                    Style.dim(one.path("trusted_at")
                            .asString()
                            .replaceAll("\\..*", "")
                            .replace('T', ' ')),
                    one.path("sha256").asString().substring(0, 12),
                    Style.safe(one.path("file").asString())));
        }
        if (rows.isEmpty()) System.out.println("No project is trusted.");
        else TextTable.print(rows);
    }

    private int revoke(DaemonClient client, String where) {
        var answer = client.callOnce("revoke", InteractiveUser.origin(invocation, params().put("directory", where)));
        return printLine(answer, answer.path("revoked").asInt() == 0 ? "It was not trusted." : "Trust revoked.");
    }

    private int trust(DaemonClient client, String where) {
        var project = client.call("project", params().put("directory", where));
        if (!json) show(project);
        if (!project.path("trusted").asBoolean()) {
            if (!yes && project.path("loosens").isEmpty()) confirm();
            project = client.callOnce(
                    "trust",
                    InteractiveUser.origin(
                            invocation,
                            params().put("directory", where)
                                    .put("sha256", project.path("sha256").asString())));
            if (!json) System.out.println("Trusted until its content changes.");
        } else if (!json) {
            System.out.println("Already trusted.");
        }
        if (json) printJson(project);
        return 0;
    }

    private static void show(JsonNode project) {
        System.out.println(Style.bold(Style.safe(project.path("file").asString())) + "\n");
        project.path("text").asString().lines().forEach(line -> System.out.println("  " + Style.visible(line)));
        System.out.println();
    }

    private static void confirm() {
        if (!Style.TERMINAL_INPUT)
            throw CliErrorCode.NOT_CONFIRMED.error("The question needs a terminal.", "Read the file, then pass --yes.");
        if (StandardInput.isYes("Trust it? Its content may then run programs as you.")) return;
        throw CliErrorCode.NOT_CONFIRMED.error("It stays untrusted.", "");
    }
}
