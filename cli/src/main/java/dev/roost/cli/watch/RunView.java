package dev.roost.cli.watch;

import dev.roost.cli.client.ShellWords;
import dev.roost.cli.client.Style;
import dev.roost.cli.terminal.SafeText;
import dev.roost.cli.view.Amount;
import dev.roost.cli.view.CauseText;
import dev.roost.cli.view.RunEntry;
import java.util.ArrayList;
import java.util.List;

/** The page of one run: state, cause, code and how to restore it, then its output. */
final class RunView {

    private static final int MAX_STDERR_LINES = 5;

    private RunView() {}

    static List<String> lines(WatchModel model) {
        var lines = new ArrayList<>(head(model));
        var one = model.opened.orElseThrow();
        var rows = one.pager.rows(WatchView.outputHeight(model), model.size.columns());
        if (one.pager.isEmpty()) lines.add(Style.dim(one.run().ended() ? "No output." : "No output yet."));
        else lines.addAll(rows);
        return lines;
    }

    /** At most half of the screen; the most important lines come first. */
    static List<String> head(WatchModel model) {
        if (model.opened.isEmpty()) return List.of();
        int width = model.size.columns();
        var one = model.opened.get();
        var run = one.run();
        var lines = new ArrayList<>(List.of(title(model, one, width)));
        if (run.has("question")) lines.add(Style.yellow(SafeText.fit(asks(run), width)));
        if (run.ended()) cause(run, lines);
        lines.add(facts(run));
        if (run.has("worktree")) lines.add(Style.dim("code  ") + run.landingText());
        if (run.hasRescueRef()) {
            lines.add(Style.dim("take  ") + "roost restore " + one.id);
            // not cut off, so that it can be copied
            if (!one.git().isEmpty())
                lines.addAll(SafeText.wrap(Style.dim("  or  ") + Style.safe(ShellWords.of(one.git())), width));
        }
        if (run.work().has("trouble"))
            lines.add(Style.red(
                    "trouble  " + Style.safe(run.work().path("trouble").asString())));
        int most = Math.max(1, model.size.rows() / 2 - 1);
        if (lines.size() > most) lines.subList(most, lines.size()).clear();
        lines.replaceAll(line -> SafeText.fit(line, width));
        lines.add(rule(one.pager, width));
        return lines;
    }

    private static String title(WatchModel model, OpenedRun one, int width) {
        var run = one.run();
        var left = Style.bold(Style.fit(run.title(), Math.max(8, width / 3))) + "  " + run.markedState();
        var right = model.gone ? Style.red("the daemon is gone") : run.has("name") ? Style.dim(run.id()) : "";
        int room = width - SafeText.width(right) - 1;
        return room < 20 ? left : SafeText.pad(SafeText.fit(left, room), room + 1) + right;
    }

    private static String asks(RunEntry run) {
        return "asks%s: %s  (m: answer)"
                .formatted(
                        run.asksForPermission() ? " for permission" : "",
                        SafeText.safe(run.question().path("text").asString().replace('\n', ' '), false));
    }

    private static void cause(RunEntry run, List<String> lines) {
        var cause = run.text("cause");
        if (cause.equals("finished") || cause.isEmpty()) return;
        var evidence = run.json().path("evidence");
        var more = new ArrayList<String>();
        if (evidence.has("exit_status"))
            more.add("exit status " + evidence.get("exit_status").asString());
        if (evidence.has("signal")) more.add("signal " + evidence.get("signal").asString());
        if (run.has("stopped_by")) more.add("by " + run.text("stopped_by"));
        if (evidence.has("note")) more.add(evidence.get("note").asString());
        if (evidence.has("last_sign_of_life"))
            more.add("last sign of life at "
                    + Amount.localTime(evidence.get("last_sign_of_life").asString()));
        lines.add(Style.status(run.status(), CauseText.of(cause))
                + Style.dim(more.isEmpty() ? "" : " (" + Style.safe(String.join(", ", more)) + ")"));
        var stderr = evidence.path("stderr_tail").asString("").strip().lines().toList();
        for (var line : stderr.subList(Math.max(0, stderr.size() - MAX_STDERR_LINES), stderr.size()))
            lines.add(Style.red("│ ") + SafeText.safe(line, false));
    }

    private static String facts(RunEntry run) {
        var parts = new ArrayList<>(List.of(run.text("agent"), run.owner(), run.age() + " old"));
        if (run.has("started_at")) parts.add("took " + run.took());
        if (run.attempt() > 1) parts.add("attempt " + run.attempt());
        if (!run.used().isEmpty()) parts.add(run.used());
        parts.add(run.text("cwd"));
        return Style.safe(String.join(", ", parts));
    }

    private static String rule(OutputPager pager, int width) {
        var label = pager.isTruncated()
                ? "── earlier output: roost output "
                : pager.following() ? "" : "── scrolled back (F: follow) ";
        return Style.dim(SafeText.fit(label + "─".repeat(width), width).replace('…', '─'));
    }
}
