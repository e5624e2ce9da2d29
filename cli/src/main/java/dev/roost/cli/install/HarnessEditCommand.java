package dev.roost.cli.install;

import static java.util.stream.Collectors.joining;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.client.YesNoQuestion;
import java.time.Instant;
import java.util.Map;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows what would change in a harness's files, asks, and does it. */
abstract class HarnessEditCommand extends ClientCommand {

    private static final int MOST_OF_A_WHOLE_FILE = 12;

    @Parameters(paramLabel = "HARNESS", description = "claude-code, opencode, codex or gemini")
    @SuppressWarnings("NullAway.Init")
    String harness;

    @Option(names = "--yes", description = "do not ask")
    private boolean yes;

    @Option(names = "--dry-run", description = "only show what would change")
    private boolean dryRun;

    /** What it would take. */
    abstract HarnessEditPlan plan(Harness harness);

    abstract String nothing(Harness harness);

    /** What to say once it is done. */
    abstract Iterable<String> notes(Harness harness);

    @Override
    public final int call(DaemonClient client) {
        var found = Harness.of(harness, HarnessPaths.of(invocation));
        var plan = plan(found);
        boolean some = !plan.changes().isEmpty();
        if (!json) plan.changes().forEach(HarnessEditCommand::show);
        boolean asked = some && !dryRun && !yes && !json && Style.TERMINAL_INPUT;
        boolean go = some && !dryRun && (yes || (asked && YesNoQuestion.isYes("Change %s?".formatted(files(plan)))));
        var kept = go ? plan.apply(Instant.now()) : Map.<String, String>of();
        boolean refused = some && !dryRun && !go;
        if (json) printJson(found, plan, kept, go, refused);
        else if (!some) System.out.println(nothing(found));
        else if (go) told(found, kept);
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
        return new CliError(
                CliError.REFUSED,
                "not_confirmed",
                asked ? "Nothing was changed." : "Nothing was changed: nobody is at a terminal to say yes.",
                asked ? "" : "Look at the changes, then say it with --yes.");
    }

    private static void show(HarnessEditPlan.FileChange change) {
        String what = switch (change.kind()) {
            case "create" -> " (new)";
            case "remove" -> " (is removed)";
            default -> "";
        };
        System.out.println(Style.bold(Style.safe(change.path())) + what);
        var lines = change.hunks();
        boolean whole = !what.isEmpty();
        int shown = whole && lines.size() > MOST_OF_A_WHOLE_FILE + 1 ? MOST_OF_A_WHOLE_FILE : lines.size();
        for (var line : lines.subList(0, shown)) System.out.println(painted(line));
        if (shown < lines.size())
            System.out.println(Style.dim(
                    "…and %d more lines; --dry-run --json shows all of them.".formatted(lines.size() - shown)));
        System.out.println();
    }

    private static String painted(String line) {
        String text = line.lines().map(Style::visible).collect(joining("\n"));
        return switch (line.charAt(0)) {
            case '+' -> Style.green(text);
            case '-' -> Style.red(text);
            case '@' -> Style.blue(text);
            default -> text;
        };
    }

    private void told(Harness found, Map<String, String> kept) {
        System.out.println("Done.");
        kept.forEach((file, backup) -> System.out.println("%s was kept as %s.".formatted(file, backup)));
        notes(found).forEach(System.out::println);
    }

    private void printJson(
            Harness found, HarnessEditPlan plan, Map<String, String> kept, boolean done, boolean refused) {
        var answer = params().put("harness", found.name()).put("changed", done);
        var files = answer.putArray("files");
        for (var change : plan.changes()) {
            var one = files.addObject()
                    .put("file", change.path())
                    .put("change", change.kind())
                    .put("diff", change.unified());
            if (kept.containsKey(change.path())) one.put("backup", kept.get(change.path()));
        }
        if (done) notes(found).forEach(answer.putArray("notes")::add);
        if (refused) answer.set("error", notConfirmed(false).shape());
        printJson(answer);
    }
}
