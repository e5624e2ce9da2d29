package dev.roost.ledger;

import dev.roost.run.Owner;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import java.util.Optional;

/** Which runs to list, newest first; {@code before} is the cursor. */
public record Query(Which which, Optional<Owner> owner, int limit, Optional<RunId> before, Narrowed narrowed) {

    public enum Which {
        /** Live runs, and ended runs not yet read. */
        ACTIVE,
        LIVE,
        UNREAD,
        ALL
    }

    /** Only those of this agent, in this state, with this text in their id, name or description; as it stands, in any case. */
    public record Narrowed(Optional<String> agent, Optional<Status> status, Optional<String> text) {
        public static final Narrowed NOT = new Narrowed(Optional.empty(), Optional.empty(), Optional.empty());
    }

    public Query(Which which, Optional<Owner> owner, int limit, Optional<RunId> before) {
        this(which, owner, limit, before, Narrowed.NOT);
    }

    public static Query of(Which which) {
        return new Query(which, Optional.empty(), Integer.MAX_VALUE, Optional.empty());
    }

    public Query of(Optional<Owner> owner) {
        return new Query(which, owner, limit, before, narrowed);
    }
}
