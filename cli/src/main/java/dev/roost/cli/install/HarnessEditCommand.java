package dev.roost.cli.install;

import static java.util.stream.Collectors.joining;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.CliErrorCode;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.StandardInput;
import dev.roost.cli.client.Style;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows the changes to a harness's files, asks for confirmation, and makes them. */
public abstract class HarnessEditCommand extends ClientCommand {

    private static final int MAX_LINES_OF_FILE = 12;

    @Parameters(paramLabel = "HARNESS", description = "claude-code, opencode, codex or gemini")
    String harness;

    @Option(names = "--yes", description = "do not ask")
    private boolean yes;

    @Option(names = "--dry-run", description = "show the changes, and make none")
    private boolean dryRun;

    abstract HarnessEditPlan plan(Harness harness);

    abstract String nothing(Harness harness);

    /** Printed after the changes. */
    abstract List<String> notes(Harness harness);

    @Override
    public final int call(DaemonClient client) {
        var target = Harness.of(harness, HarnessPaths.of(invocation));
        var plan = plan(target);
        boolean hasChanges = !plan.changes().isEmpty();
        if (!json) plan.changes().forEach(HarnessEditCommand::show);
        boolean asked = hasChanges && !dryRun && !yes && !json && Style.TERMINAL_INPUT;
        boolean confirmed =
                hasChanges && !dryRun && (yes || (asked && StandardInput.isYes("Change %s?".formatted(files(plan)))));
        var kept = confirmed ? plan.apply(Instant.now()) : Map.<String, String>of();
        boolean refused = hasChanges && !dryRun && !confirmed;
        if (json) printJson(target, plan, kept, confirmed, refused);
        else if (!hasChanges) System.out.println(nothing(target));
        else if (confirmed) printDone(target, kept);
        else if (dryRun) System.out.println("Nothing was changed.");
        else notConfirmed(asked).print(false);
        return refused ? CliError.REFUSED : 0;
    }

    private static String files(HarnessEditPlan plan) {
        return plan.changes().size() == 1
                ? "this file"
                : "these %d files".formatted(plan.changes().size());
    }

    private static CliError notConfirmed(boolean asked) {
        return CliErrorCode.NOT_CONFIRMED.error(
                asked ? "Nothing was changed." : "Nothing was changed: the question needs a terminal.",
                asked ? "" : "Review the changes, then pass --yes.");
    }

    private static void show(HarnessEditPlan.FileChange change) {
        String suffix = switch (change.kind()) {
            case "create" -> " (new)";
            case "remove" -> " (removed)";
            default -> "";
        };
        System.out.println(Style.bold(Style.safe(change.path())) + suffix);
        var lines = change.hunks();
        boolean whole = !suffix.isEmpty();
        int shown = whole && lines.size() > MAX_LINES_OF_FILE + 1 ? MAX_LINES_OF_FILE : lines.size();
        for (var line : lines.subList(0, shown)) System.out.println(coloured(line));
        if (shown < lines.size())
            System.out.println(Style.dim(
                    "…and %d more lines; --dry-run --json shows all of them.".formatted(lines.size() - shown)));
        System.out.println();
    }

    private static String coloured(String line) {
        String text = line.lines().map(Style::visible).collect(joining("\n"));
        return switch (line.charAt(0)) {
            case '+' -> Style.green(text);
            case '-' -> Style.red(text);
            case '@' -> Style.blue(text);
            default -> text;
        };
    }

    private void printDone(Harness target, Map<String, String> kept) {
        System.out.println("Done.");
        kept.forEach((file, backup) -> System.out.println("Backup of %s: %s.".formatted(file, backup)));
        notes(target).forEach(System.out::println);
    }

    private void printJson(
            Harness target, HarnessEditPlan plan, Map<String, String> kept, boolean done, boolean refused) {
        var answer = params().put("harness", target.name()).put("changed", done);
        var files = answer.putArray("files");
        for (var change : plan.changes()) {
            var one = files.addObject()
                    .put("file", change.path())
                    .put("change", change.kind())
                    .put("diff", change.unified());
            if (kept.containsKey(change.path())) one.put("backup", kept.get(change.path()));
        }
        if (done) notes(target).forEach(answer.putArray("notes")::add);
        if (refused) answer.set("error", notConfirmed(false).shape());
        printJson(answer);
    }

    @Command(
            name = "install",
            description = {
                "Wire Roost into a harness, for all of your projects: its tools, and hooks that deliver notices to sessions.",
                "Shows the changes to its files first, and keeps a backup beside each. `roost uninstall` removes them."
            })
    public static final class Install extends HarnessEditCommand {
        @Override
        HarnessEditPlan plan(Harness harness) {
            if (harness.fallback().isPresent())
                throw CliErrorCode.WIRED_ALREADY.error("Roost is already wired in, by %s."
                        .formatted(harness.fallback().get()));
            return HarnessEditPlan.install(harness);
        }

        @Override
        String nothing(Harness harness) {
            return "Nothing to change: Roost is wired into %s.".formatted(harness.name());
        }

        @Override
        List<String> notes(Harness harness) {
            var notes = new ArrayList<>(List.of("Restart open sessions to pick up the change."));
            if (HarnessPaths.of(invocation).onPath(harness.program()).isEmpty())
                notes.add("%s is not on your PATH yet.".formatted(harness.program()));
            notes.addAll(harness.notes());
            notes.add("`roost doctor` tests it; `roost uninstall %s` removes it.".formatted(harness.name()));
            return notes;
        }
    }

    @Command(
            name = "uninstall",
            description =
                    "Remove from a harness's files what install wrote. Runs continue, and their notices stay pending.")
    public static final class Uninstall extends HarnessEditCommand {
        @Override
        HarnessEditPlan plan(Harness harness) {
            return HarnessEditPlan.uninstall(harness);
        }

        @Override
        String nothing(Harness harness) {
            return harness.fallback()
                    .map(how -> "Nothing to change: Roost is wired into %s by %s; remove it there."
                            .formatted(harness.name(), how))
                    .orElse("Nothing to change: Roost is not wired into %s.".formatted(harness.name()));
        }

        @Override
        List<String> notes(Harness harness) {
            return List.of("Open sessions keep their old configuration until you restart them.");
        }
    }
}
