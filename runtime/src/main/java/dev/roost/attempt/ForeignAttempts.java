package dev.roost.attempt;

import dev.roost.ledger.RunStore;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.node.AttemptFence;
import dev.roost.node.Membership;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;

/** Finds and kills attempts on this machine that now belong to another node. */
record ForeignAttempts(RunStore runs, Membership membership, AttemptFence fence) {

    private static final System.Logger LOG = System.getLogger(ForeignAttempts.class.getName());
    private static final String CONTINUED_ELSEWHERE = "another node continued it";

    /** Kills attempts that other nodes took over while this daemon was down. */
    void killForeignAtStart() throws IOException {
        var ours = new HashSet<String>(); // one query for all: there may be thousands
        for (var run : runs.running()) ours.add(run.id() + "/" + run.latest().n());
        logOutcomes(fence.fenceLive(
                (run, n) -> !ours.contains(run + "/" + n) && belongsToOtherNode(run, n), CONTINUED_ELSEWHERE));
        fence.sweep((run, n) -> !ours.contains(run + "/" + n));
    }

    /** Kills attempts that other nodes took over while this daemon runs. */
    void killForeign() throws IOException {
        logOutcomes(fence.fenceLive(this::belongsToOtherNode, CONTINUED_ELSEWHERE));
    }

    private static void logOutcomes(List<AttemptFence.FenceResult> ended) {
        for (var result : ended)
            LOG.log(
                    System.Logger.Level.WARNING,
                    "killed processes of {0}: the attempt now belongs to another node",
                    result);
    }

    /** False for an attempt that this node has ended itself, even without an exit record. */
    private boolean belongsToOtherNode(RunId id, int n) {
        var run = runs.find(id);
        if (run.isEmpty()) return true;
        if (run.get().latest().n() == n && run.get().status() == Status.RUNNING) return !membership.owns(run.get());
        return runs.attempts(id).stream().filter(attempt -> attempt.n() == n).noneMatch(membership::ran);
    }

    /** Whether another node has the attempt, or has ended it. */
    boolean isForeign(AttemptLoop loop, RunRecord now) {
        return loop.isCurrent(now)
                ? !membership.owns(now)
                : belongsToOtherNode(now.id(), loop.run().latest().n());
    }
}
