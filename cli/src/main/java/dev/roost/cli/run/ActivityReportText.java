package dev.roost.cli.run;

import dev.roost.cli.client.Style;
import dev.roost.cli.view.LandingColumn;
import dev.roost.cli.view.RunSummary;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** A response of {@code report} as text: pauses, newest first, then other ended runs, then live ones. */
final class ActivityReportText {

    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("EEE HH:mm", Locale.ROOT);
    private static final DateTimeFormatter HOUR = DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT);
    private static final int MAX_NAME_WIDTH = 24;

    private record ReportRow(JsonNode run, String state) {}

    private final JsonNode report;
    private final int width;
    private final List<String> lines = new ArrayList<>();
    private final Set<String> shownInPause = new HashSet<>();
    private boolean help;
    private int names;
    private int states;

    ActivityReportText(JsonNode report, int width) {
        this.report = report;
        this.width = Math.max(width, 60);
    }

    List<String> lines() {
        var since = report.path("since").asString();
        var pauses = new ArrayList<List<ReportRow>>();
        for (var pause : report.path("pauses")) pauses.add(affected(pause));
        var ended = new ArrayList<ReportRow>();
        var live = new ArrayList<ReportRow>();
        for (var run : report.path("runs")) {
            if (shownInPause.contains(id(run))) continue;
            if (run.has("ended_at"))
                ended.add(new ReportRow(
                        run,
                        RunSummary.state(run) + " "
                                + hour(
                                        run.get("ended_at").asString(),
                                        Instant.now().toString())));
            else live.add(new ReportRow(run, RunSummary.state(run)));
        }
        pauses.forEach(this::measure);
        measure(ended);
        measure(live);

        for (int i = 0; i < pauses.size(); i++) pause(report.path("pauses").get(i), pauses.get(i));
        section("ended since " + day(since), ended);
        section("live", live);
        if (lines.isEmpty()) lines.add("No activity since %s.".formatted(day(since)));
        if (help)
            lines.add(Style.dim("Without Roost, in the repository: git worktree add --detach DIR refs/roost/RUN/N"));
        return lines;
    }

    /** The pause's runs, without those shown in a later pause. */
    private List<ReportRow> affected(JsonNode pause) {
        var rows = new ArrayList<ReportRow>();
        for (var affected : pause.path("runs"))
            if (shownInPause.add(id(affected))) rows.add(new ReportRow(current(affected), fate(affected)));
        return rows;
    }

    private void measure(List<ReportRow> rows) {
        for (var row : rows) {
            names = Math.max(
                    names, Math.min(MAX_NAME_WIDTH, RunSummary.title(row.run).length()));
            states = Math.max(states, row.state.length());
        }
    }

    private void section(String title, List<ReportRow> rows) {
        if (rows.isEmpty()) return;
        lines.add(Style.bold(title));
        rows.forEach(this::row);
        lines.add("");
    }

    private void pause(JsonNode pause, List<ReportRow> rows) {
        lines.add(head(pause));
        for (var remark : pause.path("remarks")) {
            boolean failed = remark.path("failed").asBoolean();
            for (var line : Style.wrap(remark.path("text").asString(), width - 4))
                lines.add(failed ? Style.red("  ! " + line) : Style.dim("  " + line));
        }
        rows.forEach(this::row);
        int rest = pause.path("runs").size() - rows.size();
        if (pause.path("runs").isEmpty()) lines.add(Style.dim("  no run was live then"));
        else if (rest > 0) lines.add(Style.dim("  %s: see above".formatted(rest == 1 ? "1 run" : rest + " runs")));
        lines.add("");
    }

    private static String head(JsonNode pause) {
        var from = pause.path("began_at").asString();
        if (!pause.has("ended_at"))
            return Style.bold("A pause was announced at %s and has not ended (roost resume)".formatted(day(from)));
        var to = pause.path("ended_at").asString();
        return Style.bold("%s – %s  %s"
                        .formatted(day(from), hour(to, from), pause.path("text").asString()))
                + Style.dim("  " + RunSummary.span(Duration.between(Instant.parse(from), Instant.parse(to))));
    }

    private void row(ReportRow row) {
        var run = row.run;
        String status = run.path("status").asString();
        String left = "  %s %s  %s"
                .formatted(
                        Style.status(status, RunSummary.mark(status)),
                        Style.pad(Style.bold(Style.fit(RunSummary.title(run), MAX_NAME_WIDTH)), names),
                        Style.status(status, Style.pad(row.state, states)));
        String code = LandingColumn.words(run);
        boolean beside = names + states + 8 + code.length() <= width;
        lines.add(beside ? left + "  " + code : left.stripTrailing());
        if (!beside) under("code: ", code);
        if (run.path("work").has("trouble"))
            under("trouble: ", run.path("work").get("trouble").asString());
        if (!LandingColumn.needsAttention(run)) return;
        help = true;
        lines.add(Style.dim("      get it: ") + "roost restore " + id(run)
                + Style.dim(
                        "   (%s)".formatted(run.path("work").path("rescue_ref").asString())));
    }

    private void under(String label, String text) {
        var wrapped = Style.wrap(text, width - 6 - label.length());
        for (int i = 0; i < wrapped.size(); i++)
            lines.add("      " + (i == 0 ? Style.dim(label) : " ".repeat(label.length())) + wrapped.get(i));
    }

    /** The run's present state from the list of runs, which has more fields. */
    private JsonNode current(JsonNode affected) {
        for (var run : report.path("runs")) if (id(run).equals(id(affected))) return run;
        return affected;
    }

    private static String id(JsonNode run) {
        return run.path("run_id").asString();
    }

    private static String fate(JsonNode run) {
        return switch (run.path("fate").asString()) {
            case "live" -> "still " + RunSummary.state(run);
            case "lost" -> "LOST, " + RunSummary.state(run);
            case "resumed" -> "lost, resumed: " + RunSummary.state(run);
            default -> RunSummary.state(run);
        };
    }

    private static String day(String at) {
        return DAY.format(Instant.parse(at).atZone(ZoneId.systemDefault()));
    }

    /** With the day if it differs from the day of {@code beside}. */
    private static String hour(String at, String beside) {
        return date(at).equals(date(beside)) ? HOUR.format(Instant.parse(at).atZone(ZoneId.systemDefault())) : day(at);
    }

    private static LocalDate date(String at) {
        return Instant.parse(at).atZone(ZoneId.systemDefault()).toLocalDate();
    }
}
