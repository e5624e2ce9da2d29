package dev.roost.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

@Command(name = "show", description = "Everything about one run: its timeline, cause, evidence, attempts and notices.")
final class ShowCommand extends Common {

    @Parameters(paramLabel = "ID", description = "the run")
    @SuppressWarnings("NullAway.Init")
    private String id;

    @Override
    int call(Client client) {
        var run = client.ask("show", params().put("run_id", id));
        if (json) printJson(run);
        else print(run);
        return 0;
    }

    private static void print(JsonNode run) {
        String status = run.path("status").asString();
        System.out.println(Style.bold(Summary.title(run)) + "  "
                + Style.status(status, Summary.mark(status) + " " + Summary.state(run))
                + (run.path("unread").asBoolean() ? "  " + Style.bold("(unread)") : ""));
        System.out.println();
        line("run", run.path("run_id").asString());
        line("owner", run.path("owner").asString());
        line("agent", run.path("agent").asString());
        line("task", run.path("description").asString());
        line("cwd", run.path("cwd").asString());
        line("output", run.path("output_file").asString());
        line("attempt", run.path("attempt").asString());
        line("took", Summary.took(run));
        if (run.has("pid")) line("pid", run.get("pid").asString());
        if (run.has("stopped_by")) line("stopped by", run.get("stopped_by").asString());
        if (run.has("evidence")) evidence(run.get("evidence"));
        System.out.println("\n" + Style.bold("timeline"));
        var rows = new ArrayList<List<String>>();
        for (var event : run.path("timeline")) {
            rows.add(List.of(
                    "  " + Style.dim(event.path("at").asString().replace('T', ' ')),
                    event.path("kind").asString(),
                    Style.safe(event.path("text").asString())));
        }
        if (!rows.isEmpty()) Table.print(rows);
        System.out.println("\n" + Style.bold("notices"));
        for (var notice : run.path("notices")) {
            System.out.println("  %s  %s  %s"
                    .formatted(
                            notice.path("notice_id").asString(),
                            notice.path("kind").asString(),
                            notice.has("acknowledged_at")
                                    ? "acknowledged "
                                            + notice.get("acknowledged_at").asString()
                                    : Style.yellow("pending")));
        }
        if (run.path("notices").isEmpty()) System.out.println(Style.dim("  none yet"));
    }

    private static void evidence(JsonNode evidence) {
        System.out.println("\n" + Style.bold("evidence"));
        for (var field : evidence.properties()) {
            if (field.getKey().equals("stderr_tail")) continue;
            var value = field.getValue();
            if (value.isArray()) value.forEach(one -> line(field.getKey(), one.asString()));
            else line(field.getKey(), value.asString());
        }
        String stderr = evidence.path("stderr_tail").asString("");
        if (!stderr.isEmpty()) {
            line("stderr", "");
            stderr.lines().forEach(text -> System.out.println("    " + Style.red("│ ") + Style.safe(text)));
        }
    }

    private static void line(String label, String value) {
        System.out.println("  " + Style.dim(Style.pad(label, 20)) + Style.safe(value));
    }
}
