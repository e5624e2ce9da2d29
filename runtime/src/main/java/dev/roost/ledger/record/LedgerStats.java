package dev.roost.ledger.record;

import dev.roost.model.Owner;
import dev.roost.model.Phase;
import dev.roost.model.Status;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** How much there is of what, counted in the rows themselves. Ended runs are not among it: there may be any number. */
public record LedgerStats(
        Instant at,
        List<LiveRuns> live,
        List<OwnerRunCount> busiest,
        long unread,
        List<PendingNotices> notices,
        List<DueDeliveries> deliveries,
        SpendTotal spent,
        List<OwnerSpend> spenders,
        int waitingWrites,
        long bytes) {

    /** Live runs of one agent in one phase; {@code since} the first of them was queued, {@code asked} if it waits for an answer. */
    public record LiveRuns(
            Status status, Phase phase, String agent, int runs, Instant since, Optional<Instant> asked) {}

    public record OwnerRunCount(Owner owner, int runs) {}

    /** Notices that wait; {@code session} is the state of the session that they are for, or {@code none}. */
    public record PendingNotices(String kind, String session, int notices, Instant since) {}

    /** What has not gone out yet by a channel. */
    public record DueDeliveries(String channel, int notices, int failing) {}

    /** Since the ledger began. */
    public record SpendTotal(long tokens, long costMicros) {}

    public record OwnerSpend(Owner owner, SpendTotal spent) {}

    public LedgerStats with(int waitingWrites, long bytes) {
        return new LedgerStats(at, live, busiest, unread, notices, deliveries, spent, spenders, waitingWrites, bytes);
    }
}
