package dev.roost.cli.admin;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.TextTable;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;

@Command(
        name = "agents",
        description = "List the agents: whether each is installed, and what it can do.",
        footer = {
            "",
            "resume: its conversation can be continued.  steer: it accepts messages while it works.",
            "cost: it reports its cost.  ask: it asks before an action that its permissions do not cover."
        })
public final class AgentsCommand extends ClientCommand {

    @Override
    public int call(DaemonClient client) {
        var params = params().put("cwd", invocation.directory().toString());
        invocation.variable("PATH").ifPresent(path -> params.put("path", path));
        return print(client.call("agents", params), AgentsCommand::print);
    }

    private static void print(JsonNode answer) {
        var rows = new ArrayList<List<String>>();
        rows.add(TextTable.head("", "AGENT", "DRIVER", "VERSION", "CAN", "PERMISSIONS", "PROGRAM"));
        var missing = new ArrayList<String>();
        for (var agent : answer.path("agents")) {
            boolean installed = agent.path("installed").asBoolean();
            String name = Style.safe(agent.path("agent").asString());
            String driver = agent.path("driver").asString();
            rows.add(List.of(
                    installed ? Style.green("✓") : Style.dim("–"),
                    agent.path("default").asBoolean() ? Style.bold(name) + " (default)" : name,
                    driver,
                    Style.fit(Style.safe(version(agent)), 24),
                    can(agent.path("can")),
                    driver.equals("command") ? "" : agent.path("permissions").asString(),
                    installed ? Style.safe(agent.path("path").asString()) : "not installed"));
            String hint = driver + "  " + Style.safe(agent.path("install").asString(""));
            if (!installed && !missing.contains(hint)) missing.add(hint);
        }
        TextTable.print(rows);
        if (!missing.isEmpty()) {
            System.out.println("\n" + Style.bold("not installed"));
            missing.forEach(hint -> System.out.println("  " + hint));
        }
        var untrusted = answer.path("untrusted");
        if (!untrusted.isMissingNode()) {
            System.err.println("roost: %s is not trusted, so its agents are ignored; `roost trust` shows it."
                    .formatted(Style.safe(untrusted.path("file").asString())));
        }
    }

    private static String version(JsonNode agent) {
        if (agent.has("version")) return agent.get("version").asString();
        boolean silent = agent.path("installed").asBoolean()
                && !agent.path("driver").asString().equals("command");
        return silent ? "unknown" : "";
    }

    private static String can(JsonNode can) {
        var words = new ArrayList<String>();
        for (var field : can.properties()) if (field.getValue().asBoolean()) words.add(field.getKey());
        return String.join(" ", words);
    }
}
