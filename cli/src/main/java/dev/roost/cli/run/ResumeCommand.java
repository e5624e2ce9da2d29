package dev.roost.cli.run;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "resume",
        description = {"End an announced pause.", "Records its end, runs the on_resume hook and notifies owners."})
public final class ResumeCommand extends ClientCommand {

    @Override
    public int call(DaemonClient client) {
        var answer = client.callOnce("resume", params());
        return answer.has("pause")
                ? print(answer, _ -> ActivityReportText.print(report(answer)))
                : printLine(answer, "No pause was announced.");
    }

    private static ObjectNode report(JsonNode answer) {
        var report = params();
        report.put("since", answer.get("pause").path("began_at").asString());
        report.putArray("pauses").add(answer.get("pause"));
        report.putArray("runs");
        return report;
    }
}
