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

/** What {@code roost} alone says: where you stand, and what you can do next. */
final class StatusOverview {

    private static final int SOME = 5;

    private final Invocation invocation;
    private final Path home;
    private final HarnessPaths paths;
    private final List<Suggestion> next = new ArrayList<>();

    /** A command, and what it is for. */
    private record Suggestion(String command, String what) {}

    private StatusOverview(Invocation invocation) {
        this.invocation = invocation;
        this.home = invocation.home();
        this.paths = HarnessPaths.of(invocation);
    }

    static List<String> lines(Invocation invocation) {
        return new StatusOverview(invocation).all();
    }

    /** A home that nobody has used gets no daemon for a look at it. */
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
        lines.add("roost %s. Nothing has been run here yet; what is will be kept in %s."
                .formatted(Version.number(), shown(home)));
        next.add(new Suggestion("roost demo", "the overnight story in half a minute, in a throw-away home"));
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
                lines.addAll(runLines.lines(Style.columns(), SOME));
            }
            suggest(runs);
        }
    }

    static String sum(RunLines runLines) {
        var runs = runLines.runs();
        if (runs.isEmpty()) return "Nothing is at work, and nothing is unread.";
        if (runLines.isCut()) return "Over %d runs are live, or ended and not read yet.".formatted(runs.size());
        long asks = runs.stream().filter(StatusOverview::asks).count();
        long unread = runs.stream().filter(StatusOverview::isUnread).count();
        long live = runs.size() - unread;
        var parts = new ArrayList<String>();
        if (live > 0) parts.add(RunSummary.some(live, "live run"));
        if (asks > 0) parts.add(asks == 1 ? "1 of them asks you something" : asks + " of them ask you something");
        if (unread > 0) parts.add("%d ended and not read yet".formatted(unread));
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
                .ifPresent(run ->
                        next.add(new Suggestion("roost show " + RunSummary.word(run), "see what it asks, and answer")));
        runs.stream()
                .filter(StatusOverview::isUnread)
                .findFirst()
                .ifPresent(run -> next.add(new Suggestion("roost output " + RunSummary.word(run), "read its result")));
        if (runs.stream().anyMatch(run -> !isUnread(run)))
            next.add(new Suggestion("roost ps --watch", "follow them, full screen"));
        if (runs.isEmpty()) {
            next.add(new Suggestion("roost run -- make test", "run something in the background"));
            next.add(new Suggestion("roost report", "what happened while you were away"));
        }
    }

    /** Those that are here and do not know of Roost. */
    private void addHarnesses() {
        for (var name : Harness.NAMES) {
            if (HarnessCheck.isHereAndNotWired(name, paths))
                next.add(new Suggestion(
                        "roost install " + name, "let its sessions start background agents, and tell them"));
        }
    }

    private String shown(Path path) {
        return HomePath.user(paths.environment())
                .filter(path::startsWith)
                .map(user -> "~/" + user.relativize(path))
                .orElse(path.toString());
    }
}
