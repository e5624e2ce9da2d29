package dev.roost.house;

import dev.roost.ledger.Run;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import dev.roost.supervisor.Fence;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/** What is on this machine and is another node's by now. */
final class OthersRuns {

    private static final System.Logger LOG = System.getLogger(OthersRuns.class.getName());
    private static final String WENT_ON = "another node went on with it";

    private final Rooms rooms;

    OthersRuns(Rooms rooms) {
        this.rooms = rooms;
    }

    /** While this daemon was away others may have gone on with what it left. */
    void endAtStart() throws IOException {
        var ours = new HashSet<String>(); // asked once for all: there may be thousands
        for (var run : rooms.ledger().runs().running())
            ours.add(run.id() + "/" + run.latest().n());
        say(rooms.fence().live((run, n) -> !ours.contains(run + "/" + n) && isAnothers(run, n), WENT_ON));
        rooms.fence().sweep((run, n) -> !ours.contains(run + "/" + n));
    }

    /** What is found while this daemon runs. */
    void end() throws IOException {
        say(rooms.fence().live(this::isAnothers, WENT_ON));
    }

    private static void say(List<Fence.Outcome> ended) {
        for (var one : ended) LOG.log(System.Logger.Level.WARNING, "ended what is another node''s by now: {0}", one);
    }

    /** Not what this node has ended itself, be it without a record of its exit. */
    private boolean isAnothers(RunId id, int n) {
        var run = rooms.ledger().runs().find(id);
        if (run.isEmpty()) return true;
        if (run.get().latest().n() == n && run.get().status() == Status.RUNNING)
            return !rooms.peers().isOurs(run.get());
        return rooms.ledger().runs().attempts(id).stream()
                .filter(attempt -> attempt.n() == n)
                .noneMatch(attempt ->
                        attempt.node().equals(Optional.of(rooms.peers().self())));
    }

    boolean wasTakenAway(AttemptLoop loop) {
        return rooms.peers().any()
                && rooms.ledger()
                        .runs()
                        .find(loop.run().id())
                        .filter(now -> isLost(loop, now))
                        .isPresent();
    }

    /** Whether another node has the attempt, or has ended it. */
    boolean isLost(AttemptLoop loop, Run now) {
        return loop.leads(now)
                ? !rooms.peers().isOurs(now)
                : isAnothers(now.id(), loop.run().latest().n());
    }
}
