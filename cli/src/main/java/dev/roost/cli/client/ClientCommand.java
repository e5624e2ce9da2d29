package dev.roost.cli.client;

import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Base of all commands: a client and {@code --json}. */
public abstract class ClientCommand implements Callable<Integer> {

    @Option(names = "--json", description = "print one JSON document")
    public boolean json;

    @Mixin
    HelpOption help;

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

    /** Prints the daemon's answer as JSON or as text; returns the exit code of success. */
    protected final int print(JsonNode answer, Consumer<JsonNode> text) {
        if (json) printJson(answer);
        else text.accept(answer);
        return 0;
    }

    /** Prints the daemon's answer as JSON, or this line instead. */
    protected final int printLine(JsonNode answer, String line) {
        return print(answer, _ -> System.out.println(line));
    }

    /** Prints the daemon's answer as JSON, or a line with the texts of these fields. */
    protected final int printLine(JsonNode answer, String format, String... fields) {
        return printLine(answer, filled(answer, format, fields));
    }

    /** The format with the texts of these fields. */
    protected static String filled(JsonNode answer, String format, String... fields) {
        var texts = Stream.of(fields).map(field -> Style.safe(answer.path(field).asString("")));
        return format.formatted(texts.toArray());
    }

    protected final void requirePerson(String what, String command) {
        InteractiveUser.require(invocation, what, command);
    }
}
