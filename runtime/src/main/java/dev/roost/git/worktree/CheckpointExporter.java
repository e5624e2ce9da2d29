package dev.roost.git.worktree;

import dev.roost.base.Refusal;
import dev.roost.git.Git;
import dev.roost.git.RepositoryKey;
import dev.roost.git.Worktree;
import dev.roost.git.checkpoint.Checkpoint;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Writes a checkpoint, with all objects that other clones may lack, to one file. */
final class CheckpointExporter {

    /** The number of remote branches to compare with, the latest first. */
    private static final int MOST_BRANCHES = 500;

    private final Git git;
    private final Worktree w;

    CheckpointExporter(Git git, Worktree w) {
        this.git = git.at(w.common());
        this.w = w;
    }

    CheckpointDescriptor describe(Checkpoint checkpoint) {
        var tip = git.ask("rev-parse", "--verify", "--quiet", w.branchRef() + "^{commit}");
        return new CheckpointDescriptor(
                checkpoint.ref(), checkpoint.commit(), tip.ok() ? Optional.of(tip.line()) : Optional.empty());
    }

    /** Writes the file, unless it would be too big. */
    CheckpointDescriptor export(Checkpoint checkpoint, Path file, long most) {
        var descriptor = describe(checkpoint);
        var revisions = new ArrayList<>(List.of(checkpoint.ref()));
        if (descriptor.tip().isPresent()) revisions.add(w.branchRef());
        shared().ifPresent(commit -> revisions.addAll(List.of("--not", commit)));
        var measure = new ArrayList<>(List.of("rev-list", "--objects", "--disk-usage"));
        measure.addAll(revisions);
        long bytes = Long.parseLong(git.line(measure.toArray(String[]::new)));
        if (bytes > most) throw tooBig(bytes, most);
        var create = new ArrayList<>(List.of("bundle", "create", "--quiet", file.toString()));
        create.addAll(revisions);
        git.run(create.toArray(String[]::new));
        return descriptor;
    }

    /** The latest ancestor of the run's base that is on a remote which other machines can reach. */
    private Optional<String> shared() {
        var branches = new ArrayList<String>();
        for (var remote : RepositoryKey.reachable(git)) {
            branches.addAll(git.run(
                            "for-each-ref",
                            "--sort=-committerdate",
                            "--count=" + MOST_BRANCHES,
                            "--format=%(objectname)",
                            "refs/remotes/" + remote.name() + "/",
                            "refs/roost/remotes/" + remote.name() + "/")
                    .lines());
        }
        if (branches.isEmpty()) return Optional.empty();
        var words = new ArrayList<>(List.of("merge-base", w.base()));
        branches.stream().distinct().limit(MOST_BRANCHES).forEach(words::add);
        var found = git.ask(words.toArray(String[]::new));
        return found.ok() && !found.line().isBlank() ? Optional.of(found.line()) : Optional.empty();
    }

    private Refusal tooBig(long bytes, long most) {
        return new Refusal(
                "work_too_big",
                "The work of %s is %,d MiB beyond what other clones have; at most %,d MiB travel."
                        .formatted(w.run(), (bytes >> 20) + 1, most >> 20),
                "Set checkpoint_remote, so that checkpoints are pushed and need not travel, or push the base branch.");
    }
}
