package dev.roost.cli.run;

import dev.roost.cli.client.Style;
import dev.roost.cli.view.Amount;
import dev.roost.cli.view.RunEntry;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** A response of {@code report} as text: pauses, newest first, then other ended runs, then live ones. */
final class ActivityReportText {

    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("EEE HH:mm", Locale.ROOT);
    private static final DateTimeFormatter HOUR = DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT);
    private static final int MAX_NAME_WIDTH = 24;

    private record ReportRow(RunEntry run, String state) {}

    private final JsonNode report;
    private final int width;
    private final Map<String, RunEntry> runs = new LinkedHashMap<>();
    private final List<String> lines = new ArrayList<>();
    private final Set<String> shownInPause = new HashSet<>();
    private boolean help;
    private int names;
    private int states;

    private ActivityReportText(JsonNode report, int width) {
        this.report = report;
        this.width = Math.max(width, 60);
        RunEntry.all(report).forEach(run -> runs.put(run.id(), run));
    }

    static void print(JsonNode report) {
        new ActivityReportText(report, Style.columns()).lines().forEach(System.out::println);
    }

    private List<String> lines() {
        var since = day(report.path("since").asString());
        var pauses = new ArrayList<List<ReportRow>>();
        for (var pause : report.path("pauses")) pauses.add(affected(pause));
        var ended = new ArrayList<ReportRow>();
        var live = new ArrayList<ReportRow>();
        var now = Instant.now().toString();
        for (var run : runs.values()) {
            if (shownInPause.contains(run.id())) continue;
            if (run.ended()) ended.add(new ReportRow(run, run.state() + " " + hour(run.text("ended_at"), now)));
            else live.add(new ReportRow(run, run.state()));
        }
        pauses.forEach(this::measure);
        measure(ended);
        measure(live);
        for (int i = 0; i < pauses.size(); i++) pause(report.path("pauses").get(i), pauses.get(i));
        section("ended since " + since, ended);
        section("live", live);
        if (lines.isEmpty()) lines.add("No activity since %s.".formatted(since));
        if (help)
            lines.add(Style.dim("Without Roost, in the repository: git worktree add --detach DIR refs/roost/RUN/N"));
        return lines;
    }

    /** The pause's runs in their present state, without those shown in a later pause. */
    private List<ReportRow> affected(JsonNode pause) {
        return RunEntry.all(pause).stream()
                .filter(run -> shownInPause.add(run.id()))
                .map(run -> new ReportRow(runs.getOrDefault(run.id(), run), fate(run)))
                .toList();
    }

    private void measure(List<ReportRow> rows) {
        for (var row : rows) {
            names = Math.max(names, Math.min(MAX_NAME_WIDTH, row.run.title().length()));
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
        else if (rest > 0) lines.add(Style.dim("  %s: see above".formatted(Amount.some(rest, "run"))));
        lines.add("");
    }

    private static String head(JsonNode pause) {
        var from = pause.path("began_at").asString();
        if (!pause.has("ended_at"))
            return Style.bold("A pause was announced at %s and has not ended (roost resume)".formatted(day(from)));
        var to = pause.path("ended_at").asString();
        return Style.bold("%s – %s  %s"
                        .formatted(day(from), hour(to, from), pause.path("text").asString()))
                + Style.dim("  " + Amount.span(Duration.between(Instant.parse(from), Instant.parse(to))));
    }

    private void row(ReportRow row) {
        var run = row.run;
        var left = "  %s %s  %s"
                .formatted(
                        Style.status(run.status(), RunEntry.mark(run.status())),
                        Style.pad(Style.bold(Style.fit(run.title(), MAX_NAME_WIDTH)), names),
                        Style.status(run.status(), Style.pad(row.state, states)));
        var code = run.landingText();
        boolean beside = names + states + 8 + code.length() <= width;
        lines.add(beside ? left + "  " + code : left.stripTrailing());
        if (!beside) under("code: ", code);
        if (run.work().has("trouble"))
            under("trouble: ", run.work().get("trouble").asString());
        if (!run.needsAttention()) return;
        help = true;
        lines.add(Style.dim("      get it: ") + "roost restore " + run.id()
                + Style.dim("   (%s)".formatted(run.work().path("rescue_ref").asString())));
    }

    private void under(String label, String text) {
        var wrapped = Style.wrap(text, width - 6 - label.length());
        for (int i = 0; i < wrapped.size(); i++)
            lines.add("      " + (i == 0 ? Style.dim(label) : " ".repeat(label.length())) + wrapped.get(i));
    }

    private static String fate(RunEntry run) {
        return switch (run.text("fate")) {
            case "live" -> "still " + run.state();
            case "lost" -> "LOST, " + run.state();
            case "resumed" -> "lost, resumed: " + run.state();
            default -> run.state();
        };
    }

    private static String day(String at) {
        return DAY.format(Amount.local(at));
    }

    /** With the day if it differs from the day of {@code beside}. */
    private static String hour(String at, String beside) {
        boolean sameDay =
                Amount.local(at).toLocalDate().equals(Amount.local(beside).toLocalDate());
        return sameDay ? HOUR.format(Amount.local(at)) : day(at);
    }
}
