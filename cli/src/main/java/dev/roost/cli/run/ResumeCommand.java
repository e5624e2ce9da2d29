package dev.roost.cli.run;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import picocli.CommandLine.Command;

@Command(
        name = "resume",
        description = {"End an announced pause.", "Records its end, runs the on_resume hook and notifies owners."})
public final class ResumeCommand extends ClientCommand {

    @Override
    public int call(DaemonClient client) {
        var answer = client.callOnce("resume", params());
        if (json) printJson(answer);
        else if (answer.has("pause"))
            new ActivityReportText(report(answer), Style.columns()).lines().forEach(System.out::println);
        else System.out.println("No pause was announced.");
        return 0;
    }

    private static tools.jackson.databind.node.ObjectNode report(tools.jackson.databind.JsonNode answer) {
        var report = params();
        report.put("since", answer.get("pause").path("began_at").asString());
        report.putArray("pauses").add(answer.get("pause"));
        report.putArray("runs");
        return report;
    }
}
