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

/** Puts a checkpoint, and all that other clones may lack of it, into one file. */
final class CheckpointExporter {

    /** More branches than this are not looked through; the latest are. */
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

    /** The file appears only if it is not too big. */
    CheckpointDescriptor export(Checkpoint checkpoint, Path file, long most) {
        var descriptor = describe(checkpoint);
        var what = new ArrayList<>(List.of(checkpoint.ref()));
        if (descriptor.tip().isPresent()) what.add(w.branchRef());
        shared().ifPresent(commit -> what.addAll(List.of("--not", commit)));
        var measure = new ArrayList<>(List.of("rev-list", "--objects", "--disk-usage"));
        measure.addAll(what);
        long bytes = Long.parseLong(git.line(measure.toArray(String[]::new)));
        if (bytes > most) throw tooBig(bytes, most);
        var create = new ArrayList<>(List.of("bundle", "create", "--quiet", file.toString()));
        create.addAll(what);
        git.run(create.toArray(String[]::new));
        return descriptor;
    }

    /** The latest commit under the run's base that a remote has which other machines reach too. */
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
