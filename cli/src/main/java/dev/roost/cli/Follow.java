package dev.roost.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.databind.JsonNode;

/** Shows a run as it goes, across restarts of the daemon, until it ends. */
final class Follow {

    private static final String LOOK_EVERY = "60s";

    private final StringBuilder shown = new StringBuilder();

    private Follow() {}

    /** Prints what the run says from {@code cursor} on, then how it ended; its end decides the exit code. */
    static int toTheEnd(Client client, String id, boolean json, boolean tellEnd) {
        return json ? waitForJson(client, id) : new Follow().show(client, id, 0, tellEnd);
    }

    static int from(Client client, String id, long cursor) {
        return new Follow().show(client, id, cursor, true);
    }

    private static int waitForJson(Client client, String id) {
        while (true) {
            var params = Common.params().put("run_id", id).put("block", true).put("timeout_ms", LOOK_EVERY);
            var output = client.ask("output", params);
            if (!output.path("ended_at").isMissingNode()) {
                Common.printJson(output);
                return Common.exitCode(output);
            }
        }
    }

    private int show(Client client, String id, long cursor, boolean tellEnd) {
        var hint = new Thread(() -> System.err.println("\nroost: the run goes on; roost output --follow " + id));
        Runtime.getRuntime().addShutdownHook(hint);
        while (true) {
            var params = Common.params().put("run_id", id).put("follow", true).put("timeout_ms", LOOK_EVERY);
            var output = client.ask("output", params.put("cursor", cursor));
            print(output.path("text").asString());
            cursor = output.path("next_cursor").asLong();
            boolean ended = !output.path("ended_at").isMissingNode()
                    && !output.path("more").asBoolean(false);
            if (!ended) continue;
            Runtime.getRuntime().removeShutdownHook(hint);
            String result = result(output);
            if (!result.isEmpty() && shown.indexOf(result.strip()) < 0) print(result);
            if (!shown.isEmpty() && shown.charAt(shown.length() - 1) != '\n') System.out.println();
            if (tellEnd) System.err.println(Summary.end(output));
            return Common.exitCode(output);
        }
    }

    private void print(String text) {
        System.out.print(text);
        System.out.flush();
        shown.append(text);
        int most = 2 << 20;
        if (shown.length() > most) shown.delete(0, shown.length() - most);
    }

    /** The result itself, from its file where it was too long for the ledger. */
    static String result(JsonNode output) {
        if (output.has("result")) return output.get("result").asString();
        if (!output.has("result_file")) return "";
        try {
            return Files.readString(Path.of(output.get("result_file").asString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
