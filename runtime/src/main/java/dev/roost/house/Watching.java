package dev.roost.house;

import dev.roost.ledger.Run;
import dev.roost.run.Owner;
import java.time.Duration;
import java.util.Optional;

/** Who wants to know at once what becomes of runs. */
public final class Watching {

    private final Rooms rooms;
    private final Following following;
    private final Stir stir = new Stir();

    Watching(Rooms rooms) {
        this.rooms = rooms;
        this.following = new Following(rooms.ledger().happenings());
        rooms.ledger().listeners().onCommit(_ -> following.committed());
        rooms.ledger().listeners().onCommit(stir::touched);
    }

    /** Which runs change from now on: anybody's, so it is for surfaces that see to it who is told what. */
    public News news() {
        return rooms.changes().ofAll();
    }

    /** Whenever this run changes. */
    public News news(Run run) {
        return rooms.changes().of(run.id()::equals);
    }

    /** What became of runs that the caller may see since {@code after}, an earlier answer's position; waits until there is something. */
    public Stirred changes(Optional<String> after, Duration timeout, Caller caller) {
        return new Stirring(rooms.ledger(), rooms.clock(), stir).since(after, timeout, caller);
    }

    /** The number of what happened last, to whichever run. */
    public long newestEvent() {
        return rooms.ledger().happenings().newest();
    }

    /** Follows what happens after that number: to the runs of {@code owner}, or to all that the caller may see. */
    public Follower follow(long after, Optional<Owner> owner, Caller caller) {
        return following.follow(after, caller.scope(owner));
    }

    void close() {
        following.close();
    }
}
