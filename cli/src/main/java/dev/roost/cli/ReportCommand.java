package dev.roost.cli;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

@Command(
        name = "report",
        description = {
            "What happened while you were away: pauses, what became of each run in them, every end since,",
            "how far the code of each got, and how to get it."
        })
final class ReportCommand extends Common {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("EEE HH:mm", Locale.ROOT);

    @Option(names = "--since", paramLabel = "TIME", description = "how far back (default: 24h)")
    private @Nullable String since;

    @Option(names = "--owner", paramLabel = "O", description = "of this owner only")
    private @Nullable String owner;

    @Override
    int call(Client client) {
        var params = params();
        if (since != null) params.put("since", since);
        if (owner != null) params.put("owner", owner);
        var report = client.ask("report", params);
        if (json) printJson(report);
        else lines(report, Style.columns()).forEach(System.out::println);
        return 0;
    }

    static List<String> lines(JsonNode report, int width) {
        var lines = new ArrayList<String>();
        Set<String> told = new HashSet<>();
        for (var pause : report.path("pauses")) {
            lines.add(head(pause));
            for (var remark : pause.path("remarks")) {
                var text = "  " + Style.safe(remark.path("text").asString());
                lines.add(remark.path("failed").asBoolean() ? Style.red(text) : Style.dim(text));
            }
            for (var run : pause.path("runs")) {
                told.add(run.path("run_id").asString());
                run(lines, find(report, run), fate(run), width);
            }
            if (pause.path("runs").isEmpty()) lines.add(Style.dim("  no run was live then"));
            lines.add("");
        }
        var rest = new ArrayList<JsonNode>();
        report.path("runs").forEach(run -> {
            if (!told.contains(run.path("run_id").asString())) rest.add(run);
        });
        var ended = rest.stream().filter(run -> run.has("ended_at")).toList();
        var live = rest.stream().filter(run -> !run.has("ended_at")).toList();
        section(lines, "ended since " + time(report.path("since").asString()), ended, width);
        section(lines, "at work", live, width);
        if (lines.isEmpty())
            lines.add("Nothing happened since %s."
                    .formatted(time(report.path("since").asString())));
        return lines;
    }

    private static void section(List<String> lines, String title, List<JsonNode> runs, int width) {
        if (runs.isEmpty()) return;
        lines.add(Style.bold(title));
        for (var run : runs) run(lines, run, Summary.state(run), width);
        lines.add("");
    }

    private static String head(JsonNode pause) {
        var from = pause.path("began_at").asString();
        if (!pause.has("ended_at"))
            return Style.bold("A pause was announced at %s and is not over (roost resume)".formatted(time(from)));
        var to = pause.path("ended_at").asString();
        return Style.bold("%s – %s  %s"
                        .formatted(time(from), time(to), pause.path("text").asString()))
                + Style.dim("  " + Summary.span(java.time.Duration.between(Instant.parse(from), Instant.parse(to))));
    }

    /** The run as it is now, with what only the list of runs has. */
    private static JsonNode find(JsonNode report, JsonNode caught) {
        for (var run : report.path("runs")) if (run.path("run_id").equals(caught.path("run_id"))) return run;
        return caught;
    }

    private static String fate(JsonNode run) {
        return switch (run.path("fate").asString()) {
            case "live" -> "still " + Summary.state(run);
            case "lost" -> "LOST, " + Summary.state(run);
            case "resumed" -> "lost, resumed: " + Summary.state(run);
            default -> Summary.state(run);
        };
    }

    private static void run(List<String> lines, JsonNode run, String state, int width) {
        String status = run.path("status").asString();
        lines.add(Style.fitLine(
                "  %s %s  %s  %s"
                        .formatted(
                                Style.status(status, Summary.mark(status)),
                                Style.pad(Style.bold(Summary.title(run)), 16),
                                Style.status(status, Style.pad(state, 30)),
                                Style.safe(code(run))),
                Math.max(width, 60)));
        if (!needsHelp(run)) return;
        String id = run.path("run_id").asString();
        lines.add(Style.dim("      get it: ") + "roost restore " + id + Style.dim("   kept as ")
                + run.path("work").path("rescue_ref").asString());
        if (run.has("git")) {
            var words = new ArrayList<String>();
            run.get("git").forEach(word -> words.add(quoted(word.asString())));
            lines.add(Style.dim("      or:     ") + Style.safe(String.join(" ", words)));
        }
    }

    /** Somebody has to take the work from where it is. */
    private static boolean needsHelp(JsonNode run) {
        if (!run.has("ended_at") || !run.path("work").has("rescue_ref")) return false;
        return switch (run.path("landing").asString("")) {
            case "nothing" -> false;
            case "merged", "pr_open", "pushed" ->
                run.path("work").path("dirty").asInt(0)
                                + run.path("work").path("untracked").asInt(0)
                        > 0;
            default -> true;
        };
    }

    private static String code(JsonNode run) {
        if (!run.has("worktree")) return "(no worktree of its own)";
        return run.path("work").path("landing_text").asString("not looked at yet");
    }

    /** As a shell takes it. */
    static String quoted(String word) {
        return word.matches("[A-Za-z0-9_./:=@%+,-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    private static String time(String at) {
        return TIME.format(Instant.parse(at).atZone(ZoneId.systemDefault()));
    }
}
