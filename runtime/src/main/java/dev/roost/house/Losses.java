package dev.roost.house;

import dev.roost.ledger.Run;
import dev.roost.run.EventKind;
import dev.roost.run.Status;
import java.util.stream.Collectors;

/** How often a run was lost in this turn, and whether it goes on after another loss; to be moved by the operator is none. */
final class Losses {

    /** What is lost before it began has cost nothing; unless it is always lost then, and takes its machine along. */
    private static final int FOR_NOTHING = 8;

    private Losses() {}

    /** Whether somebody saw to it before that its latest attempt goes on elsewhere. */
    static boolean isMoving(Rooms rooms, Run run) {
        return rooms.ledger().runs().events(run.id()).stream()
                .anyMatch(event -> event.attempt() == run.latest().n() && EventKind.MOVING.is(event.kind()));
    }

    /** Whether the run goes on if its latest attempt is lost. */
    static boolean mayResume(Rooms rooms, Run run) {
        return run.resumeOnLoss()
                && Jobs.canGoOn(rooms, run)
                && of(rooms, run) + 1 < rooms.config().maxAttempts();
    }

    private static long of(Rooms rooms, Run run) {
        var moved = rooms.ledger().runs().events(run.id()).stream()
                .filter(event -> EventKind.MOVING.is(event.kind()))
                .map(event -> event.attempt())
                .collect(Collectors.toSet());
        var lost = rooms.ledger().runs().attempts(run.id()).stream()
                .filter(one -> one.turn() == run.latest().turn() && one.status() == Status.ABANDONED)
                .filter(one -> !moved.contains(one.n()))
                .toList();
        long begun = lost.stream().filter(one -> one.began().isPresent()).count();
        return begun + Math.max(0, lost.size() - begun - FOR_NOTHING);
    }
}
