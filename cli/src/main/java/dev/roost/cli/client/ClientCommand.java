package dev.roost.cli.client;

import java.util.concurrent.Callable;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Base of all commands: a client and {@code --json}. */
public abstract class ClientCommand implements Callable<Integer> {

    @Option(names = "--json", description = "print one JSON document")
    public boolean json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "show this help")
    boolean help;

    public Invocation invocation = Invocation.ofThisProcess();

    @Override
    public final Integer call() {
        try (var client = DaemonClient.of(invocation)) {
            return call(client);
        }
    }

    public abstract int call(DaemonClient client);

    public static ObjectNode params() {
        return DaemonClient.JSON.createObjectNode();
    }

    public static void printJson(JsonNode node) {
        System.out.println(node.toPrettyString());
    }

    /** The exit code for a run's status. */
    public static int exitCode(JsonNode run) {
        return switch (run.path("status").asString()) {
            case "completed", "completed_empty" -> 0;
            case "canceled_by_user" -> 130;
            case "failed", "abandoned" -> 1;
            default -> 124;
        };
    }
}
