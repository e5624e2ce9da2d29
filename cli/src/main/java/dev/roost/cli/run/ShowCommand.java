package dev.roost.cli.run;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.LandingColumn;
import dev.roost.cli.view.RunSummary;
import dev.roost.cli.view.TextTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

@Command(name = "show", description = "Show a run: its state, cause, evidence, timeline and notices.")
public final class ShowCommand extends ClientCommand {

    @Parameters(paramLabel = "ID", description = "the run")
    @SuppressWarnings("NullAway.Init")
    private String id;

    @Override
    public int call(DaemonClient client) {
        var run = client.call("show", params().put("run_id", id));
        if (json) printJson(run);
        else print(run);
        return 0;
    }

    private static void print(JsonNode run) {
        String status = run.path("status").asString();
        System.out.println(Style.bold(RunSummary.title(run)) + "  "
                + Style.status(status, RunSummary.mark(status) + " " + RunSummary.state(run))
                + (run.path("unread").asBoolean() ? "  " + Style.bold("(unread)") : ""));
        System.out.println();
        line("run", run.path("run_id").asString());
        line("owner", run.path("owner").asString());
        line("agent", run.path("agent").asString());
        line("task", run.path("description").asString());
        line("cwd", run.path("cwd").asString());
        if (run.has("worktree")) work(run);
        line("output", run.path("output_file").asString());
        line("attempt", run.path("attempt").asString());
        if (run.has("node")) line("node", run.get("node").asString());
        if (run.has("waits")) line("waits", run.get("waits").asString());
        if (run.has("session_id")) line("session", run.get("session_id").asString());
        line("took", RunSummary.took(run));
        if (!RunSummary.used(run.path("usage")).isEmpty()) line("used", usage(run.get("usage")));
        String budget = budget(run);
        if (!budget.isEmpty()) line("budget", budget);
        if (run.has("pid")) line("pid", run.get("pid").asString());
        if (run.has("stopped_by")) line("stopped by", run.get("stopped_by").asString());
        if (run.has("question")) question(run);
        if (run.has("evidence")) evidence(run.get("evidence"));
        System.out.println("\n" + Style.bold("timeline"));
        var rows = new ArrayList<List<String>>();
        for (var event : run.path("timeline")) {
            rows.add(List.of(
                    "  " + Style.dim(event.path("at").asString().replace('T', ' ')),
                    event.path("kind").asString(),
                    Style.safe(event.path("text").asString())));
        }
        if (!rows.isEmpty()) TextTable.print(rows);
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

    private static void work(JsonNode run) {
        var work = run.path("work");
        line(
                "worktree",
                run.path("worktree").asString()
                        + (work.has("removed_at") ? " (removed)" : "")
                        + (work.has("node") ? " on " + work.path("node").asString() : ""));
        line("branch", work.path("branch").asString());
        line("code", LandingColumn.words(run));
        if (work.has("rescue_ref"))
            line(
                    "kept as",
                    work.get("rescue_ref").asString() + "  (roost restore "
                            + run.path("run_id").asString() + ")");
        if (work.has("left_out"))
            line("in no checkpoint", RunSummary.some(work.get("left_out").asLong(), "file") + ", ignored or too big");
        if (work.has("trouble")) line("trouble", work.get("trouble").asString());
    }

    private static void question(JsonNode run) {
        var question = run.get("question");
        boolean permission = question.path("kind").asString().equals("permission");
        line("asks", question.path("text").asString());
        line(
                "answer it",
                "roost send %s %s"
                        .formatted(run.path("run_id").asString(), permission ? "allow   (or: deny REASON)" : "ANSWER"));
    }

    private static String usage(JsonNode usage) {
        var parts = new ArrayList<String>();
        long cached = usage.path("cached_tokens").asLong(0);
        parts.add("%s in%s"
                .formatted(
                        RunSummary.count(usage.path("input_tokens").asLong()),
                        cached > 0 ? " and %s from the cache".formatted(RunSummary.count(cached)) : ""));
        parts.add(RunSummary.count(usage.path("output_tokens").asLong()) + " out");
        if (usage.has("cost_usd"))
            parts.add(RunSummary.dollars(usage.get("cost_usd").asDouble()));
        parts.add(turns(usage.path("turns").asLong()));
        return String.join(", ", parts);
    }

    private static String turns(long n) {
        return n + (n == 1 ? " turn" : " turns");
    }

    private static String budget(JsonNode run) {
        var parts = new ArrayList<String>();
        if (run.has("max_time_ms"))
            parts.add(RunSummary.span(Duration.ofMillis(run.get("max_time_ms").asLong())));
        if (run.has("max_tokens"))
            parts.add(RunSummary.count(run.get("max_tokens").asLong()) + " tokens");
        if (run.has("max_cost_usd"))
            parts.add(RunSummary.dollars(run.get("max_cost_usd").asDouble()));
        if (run.has("max_turns")) parts.add(turns(run.get("max_turns").asLong()));
        return String.join(", ", parts);
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
