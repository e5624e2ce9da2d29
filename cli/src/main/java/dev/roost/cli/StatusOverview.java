package dev.roost.cli;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.HomePath;
import dev.roost.cli.client.Invocation;
import dev.roost.cli.client.Style;
import dev.roost.cli.client.Version;
import dev.roost.cli.install.Harness;
import dev.roost.cli.install.HarnessCheck;
import dev.roost.cli.install.HarnessPaths;
import dev.roost.cli.view.RunLines;
import dev.roost.cli.view.RunSummary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Output of {@code roost} without a command: live and unread runs, and suggested commands. */
final class StatusOverview {

    private static final int MAX_RUNS = 5;

    private final Invocation invocation;
    private final Path home;
    private final HarnessPaths paths;
    private final List<Suggestion> next = new ArrayList<>();

    private record Suggestion(String command, String what) {}

    private StatusOverview(Invocation invocation) {
        this.invocation = invocation;
        this.home = invocation.home();
        this.paths = HarnessPaths.of(invocation);
    }

    static List<String> lines(Invocation invocation) {
        return new StatusOverview(invocation).all();
    }

    /** Starts no daemon for a home that has no runs yet. */
    private List<String> all() {
        var lines = new ArrayList<String>();
        if (Files.isDirectory(home.resolve("runs"))) addRuns(lines);
        else addGettingStarted(lines);
        addHarnesses();
        next.add(new Suggestion("roost --help", "all commands"));
        lines.add("");
        int width = next.stream().mapToInt(one -> one.command.length()).max().orElse(0) + 3;
        for (var one : next)
            lines.add(Style.fitLine(
                    "  " + Style.bold(Style.pad(one.command, width)) + Style.dim(one.what), Style.columns()));
        return lines;
    }

    private void addGettingStarted(List<String> lines) {
        lines.add("roost %s. You have no runs yet; Roost will store them in %s."
                .formatted(Version.number(), tildePath(home)));
        next.add(new Suggestion("roost demo", "a night's work in half a minute, in a temporary home"));
        next.add(new Suggestion("roost run -- make test", "run something in the background"));
    }

    private void addRuns(List<String> lines) {
        try (var client = DaemonClient.of(invocation)) {
            var runLines =
                    new RunLines(client.call("list", ClientCommand.params().put("filter", "all_active")), false);
            var runs = runLines.runs();
            lines.add("roost %s. %s".formatted(Version.number(), Style.bold(sum(runLines))));
            if (!runs.isEmpty()) {
                lines.add("");
                lines.addAll(runLines.lines(Style.columns(), MAX_RUNS));
            }
            suggest(runs);
        }
    }

    static String sum(RunLines runLines) {
        var runs = runLines.runs();
        if (runs.isEmpty()) return "No live runs, and nothing unread.";
        if (runLines.isCut()) return "More than %d runs are live, or ended and unread.".formatted(runs.size());
        long asks = runs.stream().filter(StatusOverview::asks).count();
        long unread = runs.stream().filter(StatusOverview::isUnread).count();
        long live = runs.size() - unread;
        var parts = new ArrayList<String>();
        if (live > 0) parts.add(RunSummary.some(live, "live run"));
        if (asks > 0) parts.add(asks == 1 ? "1 of them has a question" : asks + " of them have a question");
        if (unread > 0) parts.add("%d ended and unread".formatted(unread));
        return String.join(", ", parts) + ".";
    }

    private static boolean isUnread(JsonNode run) {
        return run.path("unread").asBoolean(false);
    }

    private static boolean asks(JsonNode run) {
        return run.path("phase").asString("").equals("needs_input");
    }

    private void suggest(List<JsonNode> runs) {
        runs.stream()
                .filter(StatusOverview::asks)
                .findFirst()
                .ifPresent(run -> next.add(
                        new Suggestion("roost show " + RunSummary.word(run), "read its question, and answer")));
        runs.stream()
                .filter(StatusOverview::isUnread)
                .findFirst()
                .ifPresent(run -> next.add(new Suggestion("roost output " + RunSummary.word(run), "read its result")));
        if (runs.stream().anyMatch(run -> !isUnread(run)))
            next.add(new Suggestion("roost ps --watch", "watch them, full screen"));
        if (runs.isEmpty()) {
            next.add(new Suggestion("roost run -- make test", "run something in the background"));
            next.add(new Suggestion("roost report", "what happened while you were away"));
        }
    }

    /** Suggests `roost install` for each harness that is installed but not wired. */
    private void addHarnesses() {
        for (var name : Harness.NAMES) {
            if (HarnessCheck.isHereAndNotWired(name, paths))
                next.add(new Suggestion(
                        "roost install " + name, "let its sessions start background agents and get notices"));
        }
    }

    private String tildePath(Path path) {
        return HomePath.user(paths.environment())
                .filter(path::startsWith)
                .map(user -> "~/" + user.relativize(path))
                .orElse(path.toString());
    }
}
