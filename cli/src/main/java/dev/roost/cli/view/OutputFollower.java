package dev.roost.cli.view;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.databind.JsonNode;

/** Shows a run as it goes, across restarts of the daemon, until it ends. */
public final class OutputFollower {

    private static final int KEPT = 2 << 20;

    private final DaemonClient client;
    private final String id;
    private final StringBuilder shown = new StringBuilder();
    private final Thread hint;
    private boolean hinted;
    private boolean statusLine;

    private OutputFollower(DaemonClient client, String id) {
        this.client = client;
        this.id = id;
        this.hint = new Thread(
                () -> System.err.println("\nroost: the run goes on; see it with: roost output --follow " + id));
    }

    /** Waits for the end and prints the run with its result as JSON; the end decides the exit code. */
    public static int json(DaemonClient client, String id) {
        while (true) {
            var params =
                    ClientCommand.params().put("run_id", id).put("block", true).put("timeout_ms", "60s");
            var output = client.call("output", params);
            if (output.has("ended_at")) {
                ClientCommand.printJson(output);
                return ClientCommand.exitCode(output);
            }
        }
    }

    /** Prints what the run says from {@code cursor} on, then how it ended; the end decides the exit code. */
    public static int show(DaemonClient client, String id, long cursor) {
        var outputFollower = new OutputFollower(client, id);
        var end = outputFollower.untilEnd(cursor);
        Runtime.getRuntime().removeShutdownHook(outputFollower.hint);
        System.err.println(RunSummary.end(end));
        return ClientCommand.exitCode(end);
    }

    private JsonNode untilEnd(long cursor) {
        while (true) {
            // on a terminal a silent run still shows that it lives
            var params = ClientCommand.params()
                    .put("run_id", id)
                    .put("follow", true)
                    .put("timeout_ms", Style.TERMINAL ? "1s" : "60s");
            var output = client.call("output", params.put("cursor", cursor));
            if (!hinted) Runtime.getRuntime().addShutdownHook(hint); // there is such a run
            hinted = true;
            print(output.path("text").asString());
            if (System.out.checkError()) throw CliError.unwritten(); // nobody reads any more: why wait
            cursor = output.path("next_cursor").asLong();
            if (output.has("ended_at") && !output.path("more").asBoolean(false)) {
                String result = output.path("result").asString("");
                if (!result.isBlank() && shown.indexOf(result.strip()) < 0) print(result);
                if (!atLineStart()) System.out.println();
                if (statusLine) System.err.print("\r\033[K");
                return output;
            }
            showStatus(output);
        }
    }

    private boolean atLineStart() {
        return shown.isEmpty() || shown.charAt(shown.length() - 1) == '\n';
    }

    private void print(String text) {
        if (text.isEmpty()) return;
        if (statusLine) System.err.print("\r\033[K");
        statusLine = false;
        System.out.print(text);
        System.out.flush();
        shown.append(text);
        if (shown.length() > KEPT) shown.delete(0, shown.length() - KEPT);
    }

    private void showStatus(JsonNode run) {
        if (!Style.TERMINAL || !atLineStart()) return;
        System.err.print("\r\033[K"
                + Style.dim(RunSummary.mark("running") + " " + RunSummary.state(run) + ", " + RunSummary.took(run)));
        System.err.flush();
        statusLine = true;
    }

    /** The result itself, from its file where it was too long for the ledger. */
    public static void printResult(JsonNode output) {
        try {
            if (output.has("result_file"))
                Files.copy(Path.of(output.get("result_file").asString()), System.out);
            else {
                var result = output.path("result").asString("");
                System.out.print(result.isEmpty() || result.endsWith("\n") ? result : result + "\n");
            }
            System.out.flush();
        } catch (IOException e) {
            throw new CliError(
                    CliError.FAILED,
                    "no_result",
                    "The result cannot be read: %s.".formatted(e.getMessage()),
                    "Check the disk; `roost show` has what else is known of the run.");
        }
    }
}
