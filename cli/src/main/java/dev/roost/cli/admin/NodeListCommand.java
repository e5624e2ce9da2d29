package dev.roost.cli.admin;

import dev.roost.cli.client.CliErrorCode;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.Amount;
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

    @Override
    public int call(DaemonClient client) {
        return print(client.call("nodes", params()), answer -> print(answer.path("nodes")));
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
                .orElseThrow(() -> CliErrorCode.NO_SUCH_NODE.error("Node %s does not exist any more.".formatted(name)));
    }

    private static void print(JsonNode nodes) {
        var rows = new ArrayList<>(List.of(TextTable.head("NODE", "STATE", "RUNS", "VERSION", "HEARD", "LABELS")));
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
                    Amount.span(Duration.ofMillis(node.path("unheard_ms").asLong())) + " ago",
                    Style.safe(labels(node))));
        if (nodes.isEmpty())
            System.out.println("This home is not part of a cluster. docs/cluster.md describes how to join one.");
        else TextTable.lines(rows, Style.columns()).forEach(System.out::println);
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
        var labels = node.path("labels").valueStream().map(JsonNode::asString).toList();
        return Stream.of("tag:", "dir:", "agent:")
                .flatMap(kind -> labels.stream().filter(label -> label.startsWith(kind)))
                .filter(label -> !label.equals("agent:command"))
                .map(label -> label.substring(label.indexOf(':') + 1))
                .collect(Collectors.joining(" "));
    }
}
