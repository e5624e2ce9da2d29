package dev.roost.attempt;

import dev.roost.engine.RuntimeContext;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.node.AttemptFence;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;

/** Finds and kills attempts on this machine that now belong to another node. */
final class ForeignAttempts {

    private static final System.Logger LOG = System.getLogger(ForeignAttempts.class.getName());
    private static final String CONTINUED_ELSEWHERE = "another node continued it";

    private final RuntimeContext context;

    ForeignAttempts(RuntimeContext context) {
        this.context = context;
    }

    /** Kills attempts that other nodes took over while this daemon was down. */
    void killForeignAtStart() throws IOException {
        var ours = new HashSet<String>(); // one query for all: there may be thousands
        for (var run : context.ledger().runs().running())
            ours.add(run.id() + "/" + run.latest().n());
        logOutcomes(context.fence()
                .fenceLive(
                        (run, n) -> !ours.contains(run + "/" + n) && belongsToOtherNode(run, n), CONTINUED_ELSEWHERE));
        context.fence().sweep((run, n) -> !ours.contains(run + "/" + n));
    }

    /** Kills attempts that other nodes took over while this daemon runs. */
    void killForeign() throws IOException {
        logOutcomes(context.fence().fenceLive(this::belongsToOtherNode, CONTINUED_ELSEWHERE));
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
        var run = context.ledger().runs().find(id);
        if (run.isEmpty()) return true;
        if (run.get().latest().n() == n && run.get().status() == Status.RUNNING)
            return !context.membership().owns(run.get());
        return context.ledger().runs().attempts(id).stream()
                .filter(attempt -> attempt.n() == n)
                .noneMatch(context.membership()::ran);
    }

    /** Whether another node has the attempt, or has ended it. */
    boolean isForeign(AttemptLoop loop, RunRecord now) {
        return loop.isCurrent(now)
                ? !context.membership().owns(now)
                : belongsToOtherNode(now.id(), loop.run().latest().n());
    }
}
