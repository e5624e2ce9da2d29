package dev.roost.cli.view;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.CliErrorCode;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.databind.JsonNode;

/** Follows a run's output until it ends, across restarts of the daemon. */
public final class OutputFollower {

    private static final int MAX_KEPT = 2 << 20;

    private final DaemonClient client;
    private final String id;
    private final StringBuilder shown = new StringBuilder();
    private final Thread hint;
    private boolean hookAdded;
    private boolean statusLine;

    private OutputFollower(DaemonClient client, String id) {
        this.client = client;
        this.id = id;
        this.hint = new Thread(
                () -> System.err.println("\nroost: the run continues; follow it with: roost output --follow " + id));
    }

    /** Waits for the run's end, prints it as JSON and returns the exit code for its status. */
    public static int json(DaemonClient client, String id) {
        while (true) {
            var params =
                    ClientCommand.params().put("run_id", id).put("block", true).put("timeout_ms", "60s");
            var output = client.call("output", params);
            if (output.has("ended_at")) {
                ClientCommand.printJson(output);
                return RunEntry.of(output).exitCode();
            }
        }
    }

    /** Prints the output from {@code cursor} on, then the end; returns the exit code for its status. */
    public static int show(DaemonClient client, String id, long cursor) {
        var outputFollower = new OutputFollower(client, id);
        var end = RunEntry.of(outputFollower.untilEnd(cursor));
        Runtime.getRuntime().removeShutdownHook(outputFollower.hint);
        System.err.println(end.end());
        return end.exitCode();
    }

    private JsonNode untilEnd(long cursor) {
        while (true) {
            // on a terminal, refresh the status line of a silent run
            var params = ClientCommand.params()
                    .put("run_id", id)
                    .put("follow", true)
                    .put("timeout_ms", Style.TERMINAL ? "1s" : "60s");
            var output = client.call("output", params.put("cursor", cursor));
            if (!hookAdded) Runtime.getRuntime().addShutdownHook(hint); // the run exists
            hookAdded = true;
            print(output.path("text").asString());
            if (System.out.checkError()) throw CliError.unwritten(); // the reader closed the pipe
            cursor = output.path("next_cursor").asLong();
            if (output.has("ended_at") && !output.path("more").asBoolean(false)) {
                String result = output.path("result").asString("");
                if (!result.isBlank() && shown.indexOf(result.strip()) < 0) print(result);
                if (!atLineStart()) System.out.println();
                if (statusLine) System.err.print("\r\033[K");
                return output;
            }
            showStatus(RunEntry.of(output));
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
        if (shown.length() > MAX_KEPT) shown.delete(0, shown.length() - MAX_KEPT);
    }

    private void showStatus(RunEntry run) {
        if (!Style.TERMINAL || !atLineStart()) return;
        System.err.print("\r\033[K" + Style.dim(RunEntry.mark("running") + " " + run.state() + ", " + run.took()));
        System.err.flush();
        statusLine = true;
    }

    /** Prints the result, from its file if it was too long for the ledger. */
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
            throw CliErrorCode.NO_RESULT.error("The result cannot be read: %s.".formatted(e.getMessage()));
        }
    }
}
