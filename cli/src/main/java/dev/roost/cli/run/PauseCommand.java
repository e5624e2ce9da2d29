package dev.roost.cli.run;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;

@Command(
        name = "pause",
        description = {
            "Prepare for a freeze of the machine.",
            "Writes a checkpoint of every worktree in use, then runs the on_pause hook. Agents",
            "continue. `roost resume` ends the pause; after a sleep of the machine, Roost ends it",
            "itself."
        })
public final class PauseCommand extends ClientCommand {

    @Override
    public int call(DaemonClient client) {
        var pause = client.callOnce("pause", params());
        if (json) printJson(pause);
        else if (pause.path("remarks").isEmpty())
            System.out.println("No worktree is in use; no checkpoint was needed.");
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
