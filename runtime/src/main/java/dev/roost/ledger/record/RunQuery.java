package dev.roost.ledger.record;

import dev.roost.model.Owner;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import java.util.Optional;

/** A query for runs, newest first; {@code before} is the cursor. */
public record RunQuery(
        StatusFilter scope, Optional<Owner> owner, int limit, Optional<RunId> before, QueryFilter filter) {

    public enum StatusFilter {
        /** Live runs, and ended runs not yet read. */
        ACTIVE,
        LIVE,
        UNREAD,
        ALL
    }

    /** Filters by agent, status, and a literal text in id, name or description, without regard to case. */
    public record QueryFilter(Optional<String> agent, Optional<Status> status, Optional<String> text) {
        public static final QueryFilter NOT = new QueryFilter(Optional.empty(), Optional.empty(), Optional.empty());
    }

    public RunQuery(StatusFilter scope, Optional<Owner> owner, int limit, Optional<RunId> before) {
        this(scope, owner, limit, before, QueryFilter.NOT);
    }

    public static RunQuery of(StatusFilter scope) {
        return new RunQuery(scope, Optional.empty(), Integer.MAX_VALUE, Optional.empty());
    }

    public RunQuery of(Optional<Owner> owner) {
        return new RunQuery(scope, owner, limit, before, filter);
    }
}
