package dev.roost.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "doctor",
        description = "Look at the home and the machine as Roost needs them; say what is wrong and what would help.",
        footer = {"", "Exits with 1 if something is bad; warnings alone are no failure."})
final class DoctorCommand extends Common {

    @Option(names = "--fix", description = "end processes of ended runs, if there are any")
    private boolean fix;

    @Override
    int call(Client client) {
        var answer = client.ask("doctor", params().put("fix", fix));
        boolean bad = false;
        var rows = new ArrayList<List<String>>();
        for (var finding : answer.path("findings")) {
            String level = finding.path("level").asString();
            bad |= level.equals("bad");
            rows.add(List.of(
                    mark(level),
                    finding.path("what").asString(),
                    Style.safe(finding.path("message").asString())));
            if (finding.has("fix"))
                rows.add(List.of(
                        "", "", Style.bold("→ " + Style.safe(finding.get("fix").asString()))));
        }
        if (json) printJson(answer);
        else Table.print(rows);
        return bad ? CliError.FAILED : 0;
    }

    private static String mark(String level) {
        return switch (level) {
            case "good" -> Style.green("✓");
            case "warning" -> Style.yellow("!");
            default -> Style.red("✗");
        };
    }
}
