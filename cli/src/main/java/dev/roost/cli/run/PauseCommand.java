package dev.roost.cli.run;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;

@Command(
        name = "pause",
        description = {
            "Make ready for a freeze: everything that is worked at is kept.",
            "A checkpoint of every worktree that is worked in, then the on_pause hook. Agents",
            "go on working. `roost resume` says that it is over; a machine that slept says so",
            "itself."
        })
public final class PauseCommand extends ClientCommand {

    @Override
    public int call(DaemonClient client) {
        var pause = client.callOnce("pause", params());
        if (json) printJson(pause);
        else if (pause.path("remarks").isEmpty())
            System.out.println("No worktree is worked in; nothing was to be kept.");
        else remarks(pause);
        return failed(pause) ? 1 : 0;
    }

    static void remarks(JsonNode pause) {
        for (var remark : pause.path("remarks")) {
            boolean failed = remark.path("failed").asBoolean();
            var text = (failed ? "✗ " : "✓ ") + Style.safe(remark.path("text").asString());
            System.out.println(failed ? Style.red(text) : text);
        }
    }

    static boolean failed(JsonNode pause) {
        for (var remark : pause.path("remarks")) if (remark.path("failed").asBoolean()) return true;
        return false;
    }
}
