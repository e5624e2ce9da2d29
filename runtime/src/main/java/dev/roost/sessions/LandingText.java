package dev.roost.sessions;

import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;

/** Formats how far a run's code got. */
final class LandingText {

    private LandingText() {}

    /** {@code ; code: committed, 2 ahead (kept as refs/roost/r_…/3)}; empty for a run without a worktree. */
    static String of(RunRecord run) {
        return run.work().map(worktree -> "; code: " + words(worktree)).orElse("");
    }

    static String words(WorktreeRecord worktree) {
        var landing = worktree.landing().map(WorktreeRecord.LandingState::words).orElse("not looked at yet");
        var kept = worktree.rescue().map(rescue -> "kept as %s".formatted(rescue.ref()));
        if (worktree.trouble()
                .filter(why -> why.startsWith(WorktreeRecord.NO_CHECKPOINT))
                .isPresent())
            return landing
                    + " (not kept as it is now: see roost show%s)"
                            .formatted(
                                    kept.map(known -> "; before that, " + known).orElse(""));
        return landing + kept.map(known -> " (" + known + ")").orElse("");
    }
}
