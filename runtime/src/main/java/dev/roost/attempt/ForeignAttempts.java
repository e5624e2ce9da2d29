package dev.roost.attempt;

import dev.roost.engine.RuntimeContext;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.node.AttemptFence;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/** What is on this machine and is another node's by now. */
final class ForeignAttempts {

    private static final System.Logger LOG = System.getLogger(ForeignAttempts.class.getName());
    private static final String WENT_ON = "another node went on with it";

    private final RuntimeContext context;

    ForeignAttempts(RuntimeContext context) {
        this.context = context;
    }

    /** While this daemon was away others may have gone on with what it left. */
    void killForeignAtStart() throws IOException {
        var ours = new HashSet<String>(); // asked once for all: there may be thousands
        for (var run : context.ledger().runs().running())
            ours.add(run.id() + "/" + run.latest().n());
        logOutcomes(context.fence()
                .fenceLive((run, n) -> !ours.contains(run + "/" + n) && belongsToOtherNode(run, n), WENT_ON));
        context.fence().sweep((run, n) -> !ours.contains(run + "/" + n));
    }

    /** What is found while this daemon runs. */
    void killForeign() throws IOException {
        logOutcomes(context.fence().fenceLive(this::belongsToOtherNode, WENT_ON));
    }

    private static void logOutcomes(List<AttemptFence.FenceResult> ended) {
        for (var one : ended) LOG.log(System.Logger.Level.WARNING, "ended what is another node''s by now: {0}", one);
    }

    /** Not what this node has ended itself, be it without a record of its exit. */
    private boolean belongsToOtherNode(RunId id, int n) {
        var run = context.ledger().runs().find(id);
        if (run.isEmpty()) return true;
        if (run.get().latest().n() == n && run.get().status() == Status.RUNNING)
            return !context.cluster().owns(run.get());
        return context.ledger().runs().attempts(id).stream()
                .filter(attempt -> attempt.n() == n)
                .noneMatch(attempt ->
                        attempt.node().equals(Optional.of(context.cluster().self())));
    }

    boolean wasTakenOver(AttemptLoop loop) {
        return context.cluster().isClustered()
                && context.ledger()
                        .runs()
                        .find(loop.run().id())
                        .filter(now -> isForeign(loop, now))
                        .isPresent();
    }

    /** Whether another node has the attempt, or has ended it. */
    boolean isForeign(AttemptLoop loop, RunRecord now) {
        return loop.isCurrent(now)
                ? !context.cluster().owns(now)
                : belongsToOtherNode(now.id(), loop.run().latest().n());
    }
}
