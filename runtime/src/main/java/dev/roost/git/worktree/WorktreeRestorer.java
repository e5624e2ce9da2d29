package dev.roost.git.worktree;

import dev.roost.git.Git;
import dev.roost.git.KeyedLocks;
import dev.roost.git.SafeMove;
import dev.roost.git.SafeMove.ConflictPolicy;
import dev.roost.git.Worktree;
import dev.roost.git.WorktreeGitDir;
import dev.roost.git.checkpoint.Checkpoint;
import dev.roost.git.checkpoint.CheckpointRefs;
import dev.roost.git.checkpoint.CheckpointWriter;
import dev.roost.git.checkpoint.KeptFiles;
import dev.roost.git.worktree.EnsureResult.EnsureAction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** Restores a worktree: keeps an intact one, attaches an orphan, or recreates it from a checkpoint or its branch. */
final class WorktreeRestorer {

    private final Git git;
    private final Worktree w;
    private final KeptFiles own;

    WorktreeRestorer(Git git, Worktree w, Path kept) {
        this.git = git;
        this.w = w;
        this.own = KeptFiles.of(kept, w.run());
    }

    static boolean isIntact(Worktree w) {
        return WorktreeGitDir.of(w.path(), w.common())
                .filter(gitDir -> gitDir.pointsTo(w.path()))
                .isPresent();
    }

    EnsureResult ensure() throws IOException {
        var _ = WorktreeRemover.recover(w);
        var worktreeCreator = new WorktreeCreator(git, w, w.path());
        if (!isIntact(w)) {
            try (var _ = KeyedLocks.on(w.common())) {
                worktreeCreator.clear();
            }
        }
        if (isIntact(w)) {
            var gitDir = WorktreeGitDir.of(w.path(), w.common()).orElseThrow();
            if (!Files.exists(gitDir.dir().resolve("locked"))) worktreeCreator.lock();
            own.restore(w.path(), true, ConflictPolicy.LEAVE);
            return EnsureResult.of(EnsureAction.AS_IT_WAS);
        }
        Optional<Path> displaced = Optional.empty();
        if (SafeMove.isFilled(w.path())) {
            if (!Files.isDirectory(w.path().resolve(".git"), LinkOption.NOFOLLOW_LINKS)
                    && Files.isDirectory(w.path(), LinkOption.NOFOLLOW_LINKS)) {
                worktreeCreator.attach(CheckpointRefs.latest(git, w));
                worktreeCreator.lock();
                own.restore(w.path(), true, ConflictPolicy.LEAVE);
                return EnsureResult.of(EnsureAction.AS_IT_WAS);
            }
            displaced = Optional.of(displace());
        }
        return recreate(worktreeCreator, displaced);
    }

    private EnsureResult recreate(WorktreeCreator worktreeCreator, Optional<Path> displaced) throws IOException {
        salvage();
        var last = CheckpointRefs.latest(git, w);
        if (last.isEmpty()) {
            boolean hadBranch = git.at(w.common())
                    .ask("rev-parse", "--verify", "--quiet", w.branchRef())
                    .ok();
            worktreeCreator.create();
            own.restore(w.path(), true, ConflictPolicy.LEAVE);
            return new EnsureResult(
                    hadBranch ? EnsureAction.FROM_BRANCH : EnsureAction.FRESH, Optional.empty(), displaced);
        }
        if (hasNewerCommits(last.get())) {
            worktreeCreator.create();
            own.restore(w.path(), true, ConflictPolicy.LEAVE);
            return new EnsureResult(EnsureAction.FROM_BRANCH, Optional.of(w.branchRef()), displaced);
        }
        restore(w.path(), last.get());
        return new EnsureResult(EnsureAction.FROM_RESCUE, Optional.of(last.get().ref()), displaced);
    }

    /** Whether the run's branch has commits after the HEAD of its last checkpoint. */
    private boolean hasNewerCommits(Checkpoint last) {
        var head = last.message().head();
        if (head.isEmpty() || !last.message().branch().equals(Optional.of(w.branchRef()))) return false;
        var repository = git.at(w.common());
        var tip = repository.commit(w.branchRef());
        return tip.isPresent() && !tip.equals(head) && repository.isAncestor(head.get(), tip.get());
    }

    /** Makes a checkpoint of a missing worktree from the HEAD and log that git still has of it. */
    void salvage() {
        var stale = WorktreeGitDir.pointingTo(w.path(), w.common()).filter(WorktreeGitDir::isWhole);
        if (stale.isEmpty()) return;
        var there = git.with("GIT_DIR", stale.get().dir().toString());
        var at = CheckpointRefs.latest(git, w).map(known -> known.at()).orElse(Instant.EPOCH);
        var _ = new CheckpointWriter(there, w, w.common(), stale.get(), "its directory was gone", at)
                .writeWithoutFiles();
    }

    private Path displace() throws IOException {
        for (int n = 1; ; n++) {
            var place = own.root().resolve("displaced-" + n);
            if (SafeMove.exists(place)) continue;
            SafeMove.move(w.path(), place, ConflictPolicy.LEAVE);
            return place;
        }
    }

    /** Restores a checkpoint at its own path or at another one. */
    void restore(Path to, Checkpoint known) throws IOException {
        new WorktreeCreator(git, w, to).createFrom(known, own);
        boolean belongs = own.belongsTo(known.commit());
        own.restore(to, isHome(to), belongs ? ConflictPolicy.REPLACE : ConflictPolicy.LEAVE);
        if (belongs && isHome(to)) own.close();
    }

    boolean isHome(Path to) {
        return to.toAbsolutePath().normalize().equals(w.path().toAbsolutePath().normalize());
    }
}
