package dev.roost.worktrees;

import dev.roost.base.Clock;
import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import dev.roost.git.KeyedLocks;
import dev.roost.git.RepositoryOrigin;
import dev.roost.git.Worktree;
import dev.roost.home.Home;
import dev.roost.landing.Landing;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.EventKind;
import dev.roost.model.RunId;
import dev.roost.node.Membership;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Removes the worktrees of ended runs, and restores them. */
public record WorktreeCleanup(
        WorktreeService worktrees,
        KeyedLocks<RunId> locks,
        Home home,
        Clock clock,
        Ledger ledger,
        Membership membership) {

    /** Restores the worktree at its place, or a checkpoint at another place. */
    public Path restore(RunRecord run, Optional<Path> to, Optional<Integer> checkpoint) {
        if (run.work().isEmpty()) {
            throw ErrorCode.NO_WORKTREE.error(
                    "%s had no worktree of its own, so it has no checkpoints.".formatted(run.title()),
                    "It worked in %s.".formatted(run.cwd()));
        }
        var worktree = WorktreeService.worktree(run);
        try (var _ = locks.lock(run.id())) {
            if (to.isEmpty() && checkpoint.isEmpty() && worktrees.git(run).isIntact(worktree)) return worktree.path();
            var place = worktrees
                    .git(run)
                    .restore(
                            worktree,
                            to.map(Path::toAbsolutePath).orElse(worktree.path()),
                            home.keptFiles(run.id()),
                            checkpoint);
            if (to.isEmpty()) ledger.worktrees().recordMade(run.id());
            ledger.note(run.id(), run.latest().n(), EventKind.RESTORED, "to " + place);
            return place;
        }
    }

    /** Removes the worktree after a checkpoint of it. */
    public void remove(RunRecord run) {
        if (!worktrees.isLocal(run)) throw elsewhere(run);
        try (var _ = locks.lock(run.id())) {
            if (ledger.runs()
                    .find(run.id())
                    .filter(now -> !now.status().ended())
                    .isPresent())
                throw ErrorCode.RUN_IS_LIVE.error("%s is live, so its worktree stays.".formatted(run.title()));
            var removeResult =
                    worktrees.git(run).remove(WorktreeService.worktree(run), home.keptFiles(run.id()), clock.now());
            removeResult.checkpoint().ifPresent(checkpoint -> worktrees.recordCheckpoint(run, checkpoint));
            ledger.worktrees().recordRemoved(run.id());
            ledger.note(
                    run.id(),
                    run.latest().n(),
                    EventKind.WORKTREE,
                    "removed; `roost restore %s` brings it back".formatted(run.id()));
        }
    }

    /** Removes this node's copy of a worktree that is now on another node, after a checkpoint of it here. */
    public void removeCopy(RunRecord run) throws IOException {
        var path = home.worktree(run.id());
        if (run.work().isEmpty() || worktrees.isLocal(run) || !Files.isDirectory(path)) return;
        try (var _ = locks.lock(run.id())) {
            var origin = RepositoryOrigin.of(path);
            if (!origin.top().equals(path.toRealPath())) return; // this is another repository that contains the home
            var place = run.work().get().place();
            var worktree = new Worktree(run.id(), path, origin.common(), place.base(), place.target());
            var kept = worktrees
                    .git(run)
                    .remove(worktree, home.keptFiles(run.id()), clock.now())
                    .checkpoint();
            ledger.note(
                    run.id(),
                    run.latest().n(),
                    EventKind.WORKTREE,
                    "removed on %s%s"
                            .formatted(
                                    membership.self(),
                                    kept.map(checkpoint -> "; its content is kept there as " + checkpoint.ref())
                                            .orElse("")));
        }
    }

    private RoostError elsewhere(RunRecord run) {
        return ErrorCode.ON_ANOTHER_NODE.error("The worktree of %s is on %s."
                .formatted(run.title(), run.holder().orElse("another node")));
    }

    /** Deletes the refs and the branch of a run without a worktree whose code is merged; false if it is not merged. */
    public boolean deleteMergedRefs(RunRecord run) {
        try (var _ = locks.lock(run.id())) {
            return run.work().flatMap(WorktreeRecord::madeAt).isEmpty()
                    || worktrees.git(run).deleteMergedRefs(WorktreeService.worktree(run));
        }
    }

    public boolean canDeleteRefs(RunRecord run) {
        if (run.work().flatMap(WorktreeRecord::madeAt).isEmpty()) return true;
        var landing = worktrees.git(run).landing(WorktreeService.worktree(run), Landing.LookupScope.LOCAL);
        boolean done = landing.stage() == Landing.Stage.MERGED || landing.stage() == Landing.Stage.NOTHING;
        return done && landing.isClean();
    }
}
