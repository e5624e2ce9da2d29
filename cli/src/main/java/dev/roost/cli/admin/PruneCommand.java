package dev.roost.cli.admin;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.Amount;
import dev.roost.cli.view.RunEntry;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

@Command(
        name = "prune",
        description = {
            "Remove ended runs, their results and their files.",
            "By age, then by size, oldest first. Never removes live runs; unread ones only with",
            "--unread. Removes a worktree once all of its files are kept (roost restore brings",
            "them back). Keeps a run whose code is not merged, unless --unmerged is given."
        })
public final class PruneCommand extends ClientCommand {

    @Option(names = "--older-than", paramLabel = "TIME", description = "runs that ended longer ago (default: 30d)")
    private @Nullable String olderThan;

    @Option(
            names = "--max-size",
            paramLabel = "SIZE",
            description = "prune until the rest is at most this big, e.g. 5GB")
    private @Nullable String maxSize;

    @Option(names = "--unread", description = "also runs that their owner has not read")
    private boolean unread;

    @Option(names = "--unmerged", description = "also runs whose code is not merged; their rescue refs stay in git")
    private boolean unmerged;

    @Option(names = "--kept", description = "also kept files: ignored by git, or too big for a checkpoint")
    private boolean kept;

    @Option(names = "--dry-run", description = "print what would be removed, and remove nothing")
    private boolean dryRun;

    @Override
    public int call(DaemonClient client) {
        var params = params().put("unread", unread).put("dry_run", dryRun);
        params.put("unmerged", unmerged).put("kept", kept);
        if (olderThan != null) params.put("older_than", olderThan);
        if (maxSize != null) params.put("max_size", maxSize);
        return print(client.callOnce("prune", params), this::print);
    }

    private void print(JsonNode answer) {
        var worktrees = answer.path("worktrees")
                .valueStream()
                .map(RunEntry::of)
                .map(RunEntry::id)
                .toList();
        if (dryRun) RunEntry.all(answer).forEach(run -> line("run", run));
        for (var one : answer.path("left")) {
            var run = RunEntry.of(one);
            line(worktrees.contains(run.id()) ? "worktree" : "nothing", run);
            for (var why : Style.wrap(run.text("why"), Style.columns() - 10))
                System.out.println(Style.dim("          " + why));
        }
        for (var node : answer.path("elsewhere"))
            for (var why : Style.wrap("Left: " + node.path("why").asString(), Style.columns()))
                System.out.println(Style.dim(why));
        System.out.println("%s %s and %s, %s."
                .formatted(
                        dryRun ? "Would remove" : "Removed",
                        Amount.some(answer.path("runs").size(), "run"),
                        Amount.some(answer.path("worktrees").size(), "worktree"),
                        size(answer.path("bytes").asLong())));
    }

    /** Prints which part of the run is removed. */
    private static void line(String what, RunEntry run) {
        System.out.println(Style.dim(Style.pad(what, 10)) + run.id() + (run.has("name") ? "  " + run.title() : ""));
    }

    private static String size(long bytes) {
        if (bytes < 1 << 20) return bytes / 1024 + " KiB";
        return String.format(Locale.ROOT, "%.1f MiB", bytes / 1048576.0);
    }
}
