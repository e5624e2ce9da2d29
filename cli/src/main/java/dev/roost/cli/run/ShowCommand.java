package dev.roost.cli.run;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.Amount;
import dev.roost.cli.view.RunEntry;
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
    private String id;

    @Override
    public int call(DaemonClient client) {
        return print(client.call("show", params().put("run_id", id)), answer -> print(RunEntry.of(answer)));
    }

    private static void print(RunEntry run) {
        System.out.println(Style.bold(run.title()) + "  " + run.marked(run.state())
                + (run.unread() ? "  " + Style.bold("(unread)") : ""));
        System.out.println();
        line("run", run.id());
        line("owner", run.owner());
        line("agent", run.text("agent"));
        line("task", run.text("description"));
        line("cwd", run.text("cwd"));
        if (run.has("worktree")) work(run);
        line("output", run.text("output_file"));
        line("attempt", run.text("attempt"));
        optionalLine("node", run.json(), "node");
        optionalLine("waits", run.json(), "waits");
        optionalLine("session", run.json(), "session_id");
        line("took", run.took());
        if (!run.used().isEmpty()) line("used", usage(run.json().get("usage")));
        var budget = budget(run.json());
        if (!budget.isEmpty()) line("budget", budget);
        optionalLine("pid", run.json(), "pid");
        optionalLine("stopped by", run.json(), "stopped_by");
        if (run.has("question")) {
            line("asks", run.question().path("text").asString());
            var answer = run.asksForPermission() ? "allow   (or: deny REASON)" : "ANSWER";
            line("answer it", "roost send %s %s".formatted(run.id(), answer));
        }
        if (run.has("evidence")) evidence(run.json().get("evidence"));
        System.out.println("\n" + Style.bold("timeline"));
        var rows = new ArrayList<List<String>>();
        for (var event : run.json().path("timeline")) {
            rows.add(List.of(
                    "  " + Style.dim(event.path("at").asString().replace('T', ' ')),
                    event.path("kind").asString(),
                    Style.safe(event.path("text").asString())));
        }
        if (!rows.isEmpty()) TextTable.print(rows);
        System.out.println("\n" + Style.bold("notices"));
        for (var notice : run.json().path("notices")) {
            var acknowledged = notice.path("acknowledged_at").asStringOpt();
            System.out.println("  %s  %s  %s"
                    .formatted(
                            notice.path("notice_id").asString(),
                            notice.path("kind").asString(),
                            acknowledged.map(at -> "acknowledged " + at).orElse(Style.yellow("pending"))));
        }
        if (run.json().path("notices").isEmpty()) System.out.println(Style.dim("  none yet"));
    }

    private static void work(RunEntry run) {
        var work = run.work();
        line(
                "worktree",
                run.text("worktree")
                        + (work.has("removed_at") ? " (removed)" : "")
                        + (work.has("node") ? " on " + work.path("node").asString() : ""));
        line("branch", work.path("branch").asString());
        line("code", run.landingText());
        if (run.hasRescueRef())
            line(
                    "kept as",
                    "%s  (roost restore %s)".formatted(work.get("rescue_ref").asString(), run.id()));
        if (work.has("left_out"))
            line("in no checkpoint", Amount.some(work.get("left_out").asLong(), "file") + ", ignored or too big");
        optionalLine("trouble", work, "trouble");
    }

    private static String usage(JsonNode usage) {
        var parts = new ArrayList<String>();
        long cached = usage.path("cached_tokens").asLong(0);
        parts.add(Amount.count(usage.path("input_tokens").asLong()) + " in"
                + (cached > 0 ? " and %s from the cache".formatted(Amount.count(cached)) : ""));
        parts.add(Amount.count(usage.path("output_tokens").asLong()) + " out");
        if (usage.has("cost_usd"))
            parts.add(Amount.dollars(usage.get("cost_usd").asDouble()));
        parts.add(Amount.some(usage.path("turns").asLong(), "turn"));
        return String.join(", ", parts);
    }

    private static String budget(JsonNode run) {
        var parts = new ArrayList<String>();
        if (run.has("max_time_ms"))
            parts.add(Amount.span(Duration.ofMillis(run.get("max_time_ms").asLong())));
        if (run.has("max_tokens")) parts.add(Amount.count(run.get("max_tokens").asLong()) + " tokens");
        if (run.has("max_cost_usd"))
            parts.add(Amount.dollars(run.get("max_cost_usd").asDouble()));
        if (run.has("max_turns")) parts.add(Amount.some(run.get("max_turns").asLong(), "turn"));
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

    private static void optionalLine(String label, JsonNode of, String field) {
        if (of.has(field)) line(label, of.get(field).asString());
    }

    private static void line(String label, String value) {
        System.out.println("  " + Style.dim(Style.pad(label, 20)) + Style.safe(value));
    }
}
