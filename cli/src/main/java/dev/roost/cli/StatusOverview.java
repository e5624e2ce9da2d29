package dev.roost.cli;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.HomePath;
import dev.roost.cli.client.Invocation;
import dev.roost.cli.client.Style;
import dev.roost.cli.install.Harness;
import dev.roost.cli.install.HarnessCheck;
import dev.roost.cli.install.HarnessPaths;
import dev.roost.cli.view.Amount;
import dev.roost.cli.view.RunEntry;
import dev.roost.cli.view.RunTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Output of {@code roost} without a command: live and unread runs, and suggested commands. */
final class StatusOverview {

    private static final int MAX_RUNS = 5;

    private final Invocation invocation;
    private final HarnessPaths paths;
    private final Map<String, String> next = new LinkedHashMap<>(); // what each suggested command does

    private StatusOverview(Invocation invocation) {
        this.invocation = invocation;
        this.paths = HarnessPaths.of(invocation);
    }

    static List<String> lines(Invocation invocation) {
        return new StatusOverview(invocation).all();
    }

    /** Starts no daemon for a home that has no runs yet. */
    private List<String> all() {
        var lines = new ArrayList<String>();
        if (Files.isDirectory(invocation.home().resolve("runs"))) addRuns(lines);
        else addGettingStarted(lines);
        addHarnesses();
        next.put("roost --help", "all commands");
        lines.add("");
        int width = next.keySet().stream().mapToInt(String::length).max().orElse(0) + 3;
        next.forEach((command, what) -> lines.add(
                Style.fitLine("  " + Style.bold(Style.pad(command, width)) + Style.dim(what), Style.columns())));
        return lines;
    }

    private void addGettingStarted(List<String> lines) {
        lines.add("roost %s. You have no runs yet; Roost will store them in %s."
                .formatted(Invocation.version(), tildePath(invocation.home())));
        next.put("roost demo", "a night's work in half a minute, in a temporary home");
        next.put("roost run -- make test", "run something in the background");
    }

    private void addRuns(List<String> lines) {
        try (var client = DaemonClient.of(invocation)) {
            var table = new RunTable(client.call("list", ClientCommand.params().put("filter", "all_active")), false);
            lines.add("roost %s. %s".formatted(Invocation.version(), Style.bold(sum(table))));
            if (!table.runs().isEmpty()) {
                lines.add("");
                lines.addAll(table.lines(Style.columns(), MAX_RUNS));
            }
            suggest(table.runs());
        }
    }

    static String sum(RunTable table) {
        var runs = table.runs();
        if (runs.isEmpty()) return "No live runs, and nothing unread.";
        if (table.isCut()) return "More than %d runs are live, or ended and unread.".formatted(runs.size());
        long asks = runs.stream().filter(StatusOverview::asks).count();
        long unread = runs.stream().filter(RunEntry::unread).count();
        long live = runs.size() - unread;
        var parts = new ArrayList<String>();
        if (live > 0) parts.add(Amount.some(live, "live run"));
        if (asks > 0) parts.add(asks == 1 ? "1 of them has a question" : asks + " of them have a question");
        if (unread > 0) parts.add("%d ended and unread".formatted(unread));
        return String.join(", ", parts) + ".";
    }

    private static boolean asks(RunEntry run) {
        return run.text("phase").equals("needs_input");
    }

    private void suggest(List<RunEntry> runs) {
        runs.stream()
                .filter(StatusOverview::asks)
                .findFirst()
                .ifPresent(run -> next.put("roost show " + run.word(), "read its question, and answer"));
        runs.stream()
                .filter(RunEntry::unread)
                .findFirst()
                .ifPresent(run -> next.put("roost output " + run.word(), "read its result"));
        if (runs.stream().anyMatch(run -> !run.unread())) next.put("roost ps --watch", "watch them, full screen");
        if (runs.isEmpty()) {
            next.put("roost run -- make test", "run something in the background");
            next.put("roost report", "what happened while you were away");
        }
    }

    /** Suggests `roost install` for each harness that is installed but not wired. */
    private void addHarnesses() {
        for (var name : Harness.NAMES) {
            if (HarnessCheck.isHereAndNotWired(name, paths))
                next.put("roost install " + name, "let its sessions start background agents and get notices");
        }
    }

    private String tildePath(Path path) {
        return HomePath.user(paths.environment())
                .filter(path::startsWith)
                .map(user -> "~/" + user.relativize(path))
                .orElse(path.toString());
    }
}
