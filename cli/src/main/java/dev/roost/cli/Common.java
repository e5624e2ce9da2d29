package dev.roost.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What every command has: a client and {@code --json}. */
abstract class Common implements Callable<Integer> {

    @Option(names = "--json", description = "print one JSON document")
    boolean json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "show this help")
    boolean help;

    Invocation invocation = Invocation.ofThisProcess();

    @Override
    public final Integer call() {
        try (var client = Client.of(invocation)) {
            return call(client);
        }
    }

    abstract int call(Client client);

    static ObjectNode params() {
        return Client.JSON.createObjectNode();
    }

    static void printJson(JsonNode node) {
        System.out.println(node.toPrettyString());
    }

    /** How a run's end is told to a script. */
    static int exitCode(JsonNode run) {
        return switch (run.path("status").asString()) {
            case "completed", "completed_empty" -> 0;
            case "canceled_by_user" -> 130;
            case "failed", "abandoned" -> 1;
            default -> 124;
        };
    }
}
