package dev.roost.git.worktree;

import dev.roost.git.Git;
import dev.roost.git.Worktree;
import dev.roost.git.checkpoint.CheckpointRefs;
import dev.roost.landing.Landing;
import dev.roost.landing.LandingCalculator;
import dev.roost.landing.RemoteAnswers;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Deletes a run's refs and branch once everything in its last checkpoint is merged. */
record MergedRefCleaner(Git git, Worktree w) {

    boolean deleteMergedRefs() {
        var there = git.at(w.common());
        var last = CheckpointRefs.latest(git, w);
        var landing = new LandingCalculator(git, w, Landing.LookupScope.LOCAL, new RemoteAnswers()).compute();
        boolean nothing = landing.stage() == Landing.Stage.NOTHING;
        if (!(landing.stage() == Landing.Stage.MERGED || nothing) || !landing.isClean()) return false;
        if (last.isPresent() && (!isPlain(last.get()) || hasOtherCommits(last.get(), landing.head()))) return false;
        var branch = there.ask("rev-parse", "--verify", "--quiet", w.branchRef() + "^{commit}");
        if (branch.ok()) {
            var leads = there.ask("merge-base", "--is-ancestor", branch.line(), landing.head())
                    .ok();
            var used = there.run("worktree", "list", "--porcelain").lines().contains("branch " + w.branchRef());
            if (!leads || used) return false;
        }
        var orders = new StringBuilder();
        for (var ref : CheckpointRefs.of(git, w).refs())
            orders.append("delete ")
                    .append(ref.name())
                    .append(' ')
                    .append(ref.commit())
                    .append('\n');
        if (branch.ok())
            orders.append("delete ")
                    .append(w.branchRef())
                    .append(' ')
                    .append(branch.line())
                    .append('\n');
        if (orders.isEmpty()) return true;
        return there.given(orders.toString().getBytes(StandardCharsets.US_ASCII))
                .ask("update-ref", "--stdin")
                .ok();
    }

    /** Whether the checkpoint leads to commits of the agent that the landed commit does not contain. */
    private boolean hasOtherCommits(CheckpointRefs.CheckpointDetails known, String head) {
        var beyond = git.at(w.common()).ask("log", "--format=%s", known.ref().commit(), "--not", head, w.base());
        return !beyond.ok() || beyond.lines().stream().anyMatch(subject -> !subject.startsWith("roost "));
    }

    /** Whether the checkpoint's files and index equal its HEAD. */
    private boolean isPlain(CheckpointRefs.CheckpointDetails known) {
        var message = known.message();
        if (message.head().isEmpty()) return false;
        var tree = git.at(w.common()).line("rev-parse", message.head().get() + "^{tree}");
        return tree.equals(known.parsed().tree())
                && message.index().equals(Optional.of(tree))
                && message.operation().isEmpty();
    }
}
