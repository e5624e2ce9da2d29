package dev.roost.ledger.record;

import dev.roost.model.Owner;
import dev.roost.model.Phase;
import dev.roost.model.Status;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Current counts, taken from the rows. Ended runs are not counted: there may be any number of them. */
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

    /** Live runs of one agent in one phase. {@code since}: when the first was queued; {@code asked}: when the first asked. */
    public record LiveRuns(
            Status status, Phase phase, String agent, int runs, Instant since, Optional<Instant> asked) {}

    public record OwnerRunCount(Owner owner, int runs) {}

    /** Pending notices; {@code session} is the state of the owner session, or {@code none}. */
    public record PendingNotices(String kind, String session, int notices, Instant since) {}

    /** Deliveries that are due on a channel. */
    public record DueDeliveries(String channel, int notices, int failing) {}

    /** The spending since the ledger was created. */
    public record SpendTotal(long tokens, long costMicros) {}

    public record OwnerSpend(Owner owner, SpendTotal spent) {}
}
