package dev.roost.ledger;

import dev.roost.run.Owner;
import dev.roost.run.RunId;
import java.util.Optional;

/** Which runs to list, newest first; {@code before} is the cursor. */
public record Query(Which which, Optional<Owner> owner, int limit, Optional<RunId> before) {

    public enum Which {
        /** Live runs, and ended runs not yet read. */
        ACTIVE,
        LIVE,
        UNREAD,
        ALL
    }

    public static Query of(Which which) {
        return new Query(which, Optional.empty(), Integer.MAX_VALUE, Optional.empty());
    }
}
