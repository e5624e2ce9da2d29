package dev.roost.house;

import dev.roost.ledger.Tally;
import dev.roost.run.BadInput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** What keeps a home in order, and what shows whether it is. */
public final class Upkeep {

    private final Rooms rooms;
    private final Attempts attempts;
    private final Sending sending;

    Upkeep(Rooms rooms, Attempts attempts, Sending sending) {
        this.rooms = rooms;
        this.attempts = attempts;
        this.sending = sending;
    }

    /** How much there is of what; of owners only so many, the biggest. */
    public Tally tally(int owners) {
        return rooms.ledger().tallies().tally(owners);
    }

    /** What keeps this home from being of use now. */
    public Readiness readiness() {
        return new Readiness(
                rooms.home(), rooms.ledger(), () -> attempts.unled(rooms.clock().now()));
    }

    /** Removes ended runs by age and size; see {@link Pruning}. */
    public Pruned prune(Pruning wish) {
        return new Removal(rooms, attempts, sending).prune(wish);
    }

    /** Looks at home and machine; with {@code fix}, also ends what should not be there any more. */
    public List<Finding> examine(boolean fix) {
        return new Doctor(rooms).examine(fix);
    }

    /** Copies the ledger to {@code copy} while it is in use. */
    public void backUp(Path copy) {
        if (insideHome(copy)) {
            throw new BadInput(
                    "backup_in_home",
                    "%s is inside the home, whose own files a back-up must not replace.".formatted(copy),
                    "Choose a place outside of %s.".formatted(rooms.home().root()));
        }
        rooms.ledger().backUp(copy);
    }

    private boolean insideHome(Path copy) {
        try {
            var parent = copy.toAbsolutePath().normalize().getParent();
            return parent != null
                    && parent.toRealPath().startsWith(rooms.home().root().toRealPath());
        } catch (IOException e) {
            return false; // no such directory: the back-up itself will say so
        }
    }
}
