package dev.roost.house;

import dev.roost.ledger.End;
import dev.roost.ledger.Result;
import dev.roost.ledger.Run;
import dev.roost.run.BadInput;
import dev.roost.run.Cause;
import dev.roost.run.Evidence;
import dev.roost.run.Outcome;
import dev.roost.run.Refused;
import dev.roost.run.RunEvent;
import dev.roost.shelf.ShelfName;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Has an attempt at home here, and somebody to lead it. */
final class TakingUp {

    private static final System.Logger LOG = System.getLogger(TakingUp.class.getName());
    private static final int MOST_TRIES = 30;

    private final Rooms rooms;
    private final Runnable slotIsFree;
    private final Arriving arriving;
    private final Map<String, Integer> tries = new ConcurrentHashMap<>();

    TakingUp(Rooms rooms, Runnable slotIsFree) {
        this.rooms = rooms;
        this.slotIsFree = slotIsFree;
        this.arriving = new Arriving(rooms);
    }

    /** What cannot be at home here ends at once, and says why; what could not be found out yet is tried again. */
    @Nullable
    AttemptLoop take(Run run, boolean fresh) throws IOException {
        Run here;
        try {
            here = arriving.arrive(run);
            tries.remove(tried(run));
        } catch (BadInput | Refused e) {
            return AttemptLoop.refuse(rooms, run, e);
        } catch (IOException | RuntimeException e) {
            if (AttemptLoop.isForLater(e) || tries.merge(tried(run), 1, Integer::sum) < MOST_TRIES) throw e;
            giveUp(run, e);
            return null;
        }
        return fresh ? AttemptLoop.begin(rooms, here) : AttemptLoop.inherit(rooms, here);
    }

    /** Nothing of the run is at fault, and what there is of it stays where it is. Without files of its own, which may be the trouble. */
    private void giveUp(Run run, Exception because) {
        LOG.log(System.Logger.Level.ERROR, "%s cannot be at home here, and is given up".formatted(run.id()), because);
        var saved = rooms.peers().stowed(run.id()).contains(ShelfName.WORK)
                ? "; its files as last kept: roost restore " + run.id()
                : "; none of its files were kept";
        var evidence = Evidence.none()
                .withNote("it could not be made at home on %s, tried %d times: %s%s"
                        .formatted(rooms.peers().self(), MOST_TRIES, because.getMessage(), saved));
        var how = new RunEvent.Exited(new Outcome.Failed(Cause.SPAWN_FAILED));
        rooms.ledger()
                .finish(
                        run.id(),
                        run.latest().n(),
                        new End(
                                how,
                                rooms.clock().now(),
                                evidence,
                                Result.none(),
                                run.latest().progress()));
        tries.remove(tried(run));
        slotIsFree.run();
    }

    private static String tried(Run run) {
        return run.id() + "/" + run.latest().n();
    }
}
