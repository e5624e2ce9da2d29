package dev.roost.cli;

import picocli.CommandLine.Command;

@Command(
        name = "resume",
        description = {"Say that a freeze is over.", "It is recorded, the on_resume hook is run, and owners are told."})
final class ResumeCommand extends Common {

    @Override
    int call(Client client) {
        var answer = client.tell("resume", params());
        if (json) printJson(answer);
        else if (answer.has("pause"))
            new AwayPage(report(answer), Style.columns()).lines().forEach(System.out::println);
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
