package dev.roost.cli.admin;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.RunSummary;
import dev.roost.cli.view.TextTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;

@Command(name = "list", description = "List the nodes: state, runs, slots, version and labels.")
class NodeListCommand extends ClientCommand {

    private static final List<String> HEAD = List.of("NODE", "STATE", "RUNS", "VERSION", "HEARD", "LABELS");

    @Override
    public int call(DaemonClient client) {
        var answer = client.call("nodes", params());
        if (json) printJson(answer);
        else if (answer.path("nodes").isEmpty())
            System.out.println("This home is not part of a cluster. docs/cluster.md describes how to join one.");
        else TextTable.lines(rows(answer.path("nodes")), Style.columns()).forEach(System.out::println);
        return 0;
    }

    static JsonNode self(DaemonClient client) {
        return find(client, "here", node -> node.path("self").asBoolean());
    }

    static JsonNode find(DaemonClient client, String name) {
        return find(client, name, node -> node.path("node").asString().equals(name));
    }

    private static JsonNode find(DaemonClient client, String name, Predicate<JsonNode> which) {
        return client.call("nodes", params())
                .path("nodes")
                .valueStream()
                .filter(which)
                .findFirst()
                .orElseThrow(() -> new CliError(
                        CliError.USAGE,
                        "no_such_node",
                        "Node %s does not exist any more.".formatted(name),
                        "`roost node list` shows all nodes."));
    }

    private static List<List<String>> rows(JsonNode nodes) {
        var rows = new ArrayList<List<String>>();
        rows.add(HEAD.stream().map(Style::dim).toList());
        for (var node : nodes)
            rows.add(List.of(
                    Style.safe(node.path("node").asString())
                            + (node.path("self").asBoolean() ? Style.dim(" (here)") : ""),
                    state(node),
                    "%d/%d"
                            .formatted(
                                    node.path("runs").asInt(),
                                    node.path("slots").asInt()),
                    Style.safe(node.path("version").asString()),
                    RunSummary.span(Duration.ofMillis(node.path("unheard_ms").asLong())) + " ago",
                    Style.safe(labels(node))));
        return rows;
    }

    private static String state(JsonNode node) {
        String state = node.path("state").asString();
        return switch (state) {
            case "live" -> Style.green(state);
            case "unheard" -> Style.red(state);
            case "draining" -> Style.yellow(node.path("moving").asBoolean() ? "draining, moves" : state);
            default -> Style.dim(state);
        };
    }

    /** Tags, directories and agents; the label of its own name is left out. */
    private static String labels(JsonNode node) {
        return Stream.concat(
                        labels(node, "tag:"),
                        Stream.concat(
                                labels(node, "dir:"), labels(node, "agent:").filter(one -> !one.equals("command"))))
                .collect(Collectors.joining(" "));
    }

    private static Stream<String> labels(JsonNode node, String kind) {
        return node.path("labels")
                .valueStream()
                .map(JsonNode::asString)
                .filter(label -> label.startsWith(kind))
                .map(label -> label.substring(kind.length()));
    }
}
