package dev.roost.ledger.record;

import dev.roost.model.Owner;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import java.util.Optional;

/** Which runs to list, newest first; {@code before} is the cursor. */
public record RunQuery(
        StatusFilter scope, Optional<Owner> owner, int limit, Optional<RunId> before, QueryFilter filter) {

    public enum StatusFilter {
        /** Live runs, and ended runs not yet read. */
        ACTIVE,
        LIVE,
        UNREAD,
        ALL
    }

    /** Only those of this agent, in this state, with this text in their id, name or description; as it stands, in any case. */
    public record QueryFilter(Optional<String> agent, Optional<Status> status, Optional<String> text) {
        public static final QueryFilter NOT = new QueryFilter(Optional.empty(), Optional.empty(), Optional.empty());
    }

    public RunQuery(StatusFilter which, Optional<Owner> owner, int limit, Optional<RunId> before) {
        this(which, owner, limit, before, QueryFilter.NOT);
    }

    public static RunQuery of(StatusFilter which) {
        return new RunQuery(which, Optional.empty(), Integer.MAX_VALUE, Optional.empty());
    }

    public RunQuery of(Optional<Owner> owner) {
        return new RunQuery(scope, owner, limit, before, filter);
    }
}
