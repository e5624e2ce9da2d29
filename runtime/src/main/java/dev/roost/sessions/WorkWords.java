package dev.roost.sessions;

import dev.roost.ledger.Run;
import dev.roost.ledger.Work;

/** Where a run's code is, in words. */
final class WorkWords {

    private WorkWords() {}

    /** {@code ; code: committed, 2 ahead (kept as refs/roost/r_…/3)}; nothing for a run without a worktree of its own. */
    static String of(Run run) {
        return run.work().map(work -> "; code: " + words(work)).orElse("");
    }

    static String words(Work work) {
        var landing = work.landing().map(Work.Landed::words).orElse("not looked at yet");
        var kept = work.rescue().map(rescue -> "kept as %s".formatted(rescue.ref()));
        if (work.trouble().filter(why -> why.startsWith(Work.NO_CHECKPOINT)).isPresent())
            return landing
                    + " (not kept as it is now: see roost show%s)"
                            .formatted(
                                    kept.map(known -> "; before that, " + known).orElse(""));
        return landing + kept.map(known -> " (" + known + ")").orElse("");
    }
}
