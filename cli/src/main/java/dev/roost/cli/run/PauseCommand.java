package dev.roost.cli.run;

import dev.roost.cli.client.CliError;
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
        print(pause, PauseCommand::print);
        return pause.path("remarks").valueStream().anyMatch(PauseCommand::hasFailed) ? CliError.FAILED : 0;
    }

    private static void print(JsonNode pause) {
        if (pause.path("remarks").isEmpty()) System.out.println("No worktree is in use; no checkpoint was needed.");
        for (var remark : pause.path("remarks")) {
            var text = Style.safe(remark.path("text").asString());
            System.out.println(hasFailed(remark) ? Style.red("✗ " + text) : "✓ " + text);
        }
    }

    private static boolean hasFailed(JsonNode remark) {
        return remark.path("failed").asBoolean();
    }
}
