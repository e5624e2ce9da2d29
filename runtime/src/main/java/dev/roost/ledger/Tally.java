package dev.roost.ledger;

import dev.roost.run.Owner;
import dev.roost.run.Phase;
import dev.roost.run.Status;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** How much there is of what, counted in the rows themselves. Ended runs are not among it: there may be any number. */
public record Tally(
        Instant at,
        List<Live> live,
        List<OfOwner> busiest,
        long unread,
        List<Pending> notices,
        List<Due> deliveries,
        Spent spent,
        List<Spender> spenders,
        int waitingWrites,
        long bytes) {

    /** Live runs of one agent in one phase; {@code since} the first of them was queued, {@code asked} if it waits for an answer. */
    public record Live(Status status, Phase phase, String agent, int runs, Instant since, Optional<Instant> asked) {}

    public record OfOwner(Owner owner, int runs) {}

    /** Notices that wait; {@code session} is the state of the session that they are for, or {@code none}. */
    public record Pending(String kind, String session, int notices, Instant since) {}

    /** What has not gone out yet by a channel. */
    public record Due(String channel, int notices, int failing) {}

    /** Since the ledger began. */
    public record Spent(long tokens, long costMicros) {}

    public record Spender(Owner owner, Spent spent) {}

    Tally with(int waitingWrites, long bytes) {
        return new Tally(at, live, busiest, unread, notices, deliveries, spent, spenders, waitingWrites, bytes);
    }
}
