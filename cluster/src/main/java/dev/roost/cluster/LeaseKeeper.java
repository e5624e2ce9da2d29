package dev.roost.cluster;

import dev.roost.cluster.files.NodeFiles;
import dev.roost.cluster.files.SharedFileRows;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.RunId;
import dev.roost.node.AttemptControl;
import dev.roost.node.LeaseSeenFile;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Renews this node's lease every third of its length, and takes over the runs of nodes whose lease has expired. */
final class LeaseKeeper implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(LeaseKeeper.class.getName());

    private static final int CONCURRENT_TAKEOVERS = 4;

    private final Lease lease;
    private final NodeIdentity identity;
    private final Ledger ledger;
    private final LeaseSeenFile seen;
    private final Runnable nameTaken;
    private final ScheduledExecutorService renewer = single("roost-lease");
    private final ScheduledExecutorService takeoverExecutor = single("roost-takes-over");

    private volatile @Nullable AttemptControl takeoverControl;
    private boolean renewalSucceeded = true;

    /**
     * Starts renewing the lease, also while the node still recovers its runs. {@code nameTaken} is run if another node has this
     * node's name: then this node owns nothing any more.
     */
    LeaseKeeper(Lease lease, NodeIdentity identity, Ledger ledger, LeaseSeenFile seen, Runnable nameTaken) {
        this.lease = lease;
        this.identity = identity;
        this.ledger = ledger;
        this.seen = seen;
        this.nameTaken = nameTaken;
        var _ = renewer.scheduleWithFixedDelay(this::renew, renewalMillis(), renewalMillis(), TimeUnit.MILLISECONDS);
    }

    private long renewalMillis() {
        return identity.leases().lease().dividedBy(3).toMillis();
    }

    /** Called after recovery: the node may now be given runs, and takes over the runs of expired nodes. */
    void startTakeovers(AttemptControl attempts) {
        takeoverControl = attempts;
        long since = LeaseSeenFile.now();
        lease.becomeAvailable();
        seen.write(since);
        attempts.releaseForeign(); // attempts that other nodes took over during recovery
        var _ = takeoverExecutor.scheduleWithFixedDelay(
                () -> takeOver(attempts), renewalMillis(), renewalMillis(), TimeUnit.MILLISECONDS);
    }

    private static ScheduledExecutorService single(String name) {
        return Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name(name).factory());
    }

    private void renew() {
        try {
            var attempts = takeoverControl;
            long since = LeaseSeenFile.now(); // before the database receives the renewal
            var renewal = lease.renew();
            switch (renewal.state()) {
                case HELD -> {
                    boolean recovered =
                            !renewalSucceeded; // a renewal that timed out here may have found the lease lapsed
                    leaseRenewed(since);
                    if (recovered && attempts != null) attempts.releaseForeign();
                }
                case LAPSED -> {
                    LOG.log(System.Logger.Level.WARNING, "this node did not renew its lease in time");
                    leaseRenewed(since);
                    if (attempts != null) attempts.releaseForeign();
                }
                case TAKEN -> {
                    LOG.log(System.Logger.Level.ERROR, "another node has taken the name {0}", identity.name());
                    renewalSucceeded = false;
                    nameTaken.run();
                    if (attempts != null) attempts.releaseForeign();
                }
            }
            if (renewal.draining() && attempts != null) attempts.drain();
        } catch (RuntimeException e) {
            if (renewalSucceeded)
                LOG.log(System.Logger.Level.WARNING, "the lease could not be renewed: {0}", e.getMessage());
            renewalSucceeded = false;
        }
    }

    private void leaseRenewed(long since) {
        if (!renewalSucceeded) LOG.log(System.Logger.Level.INFO, "this node renews its lease again");
        renewalSucceeded = true;
        seen.write(since);
    }

    /** Runs a few takeovers at a time: each mostly waits for the database, and must not delay the others. */
    private void takeOver(AttemptControl attempts) {
        try (var threads = Executors.newFixedThreadPool(
                CONCURRENT_TAKEOVERS,
                Thread.ofVirtual().name("roost-takes-over-", 0).factory())) {
            for (var node : ledger.read(lease::expiredNodes)) {
                deleteEndedStarts(node);
                for (var run : runs(node)) threads.execute(() -> takeOverSafely(attempts, run, node));
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "the runs of expired nodes could not be listed: {0}", e.getMessage());
        }
    }

    /** Deletes the start tasks of an expired node whose attempts have ended. Other nodes poll only their own start tasks. */
    private void deleteEndedStarts(NodeRow node) {
        var ended = ledger.read(handle -> StartScheduler.endedStarts(handle, node.name()));
        if (ended.isEmpty()) return;
        ledger.write(Set.of(), _ -> List.of(), handle -> {
            boolean expired = lease.isExpired(handle, node);
            if (expired) StartScheduler.cancel(handle, ended);
            return expired;
        });
    }

    private List<RunRecord> runs(NodeRow node) {
        var ids = ledger.read(handle -> handle.select(
                        "SELECT run_id FROM attempt WHERE status = 'running' AND node = ? ORDER BY run_id", node.name())
                .list(SqlConnection::text));
        return ids.stream()
                .flatMap(id -> ledger.runs().find(new RunId(id)).stream())
                .toList();
    }

    private void takeOverSafely(AttemptControl attempts, RunRecord run, NodeRow node) {
        try {
            takeOver(attempts, run, node);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, run.id() + " could not be taken over; it is retried", e);
        }
    }

    private void takeOver(AttemptControl attempts, RunRecord run, NodeRow node) {
        int attempt = run.latest().n();
        boolean unstarted = run.latest().began().isEmpty()
                && ledger.read(handle -> StartScheduler.isPending(handle, node.name(), run.id()));
        var loss = new AttemptControl.LostNode(node.name(), node.heardAt(), unstarted);
        attempts.takeOver(
                run,
                loss,
                end -> ledger.finish(run.id(), attempt, end, handle -> {
                    if (!lease.isExpired(handle, node)) return false;
                    SharedFileRows.fence(handle, run.id(), NodeFiles.writer(attempt, true));
                    if (unstarted) return StartScheduler.cancelUnstarted(handle, node.name(), run.id(), attempt);
                    StartScheduler.cancel(handle, node.name(), run.id(), attempt);
                    return true;
                }));
    }

    @Override
    public void close() {
        renewer.shutdownNow();
        takeoverExecutor.shutdownNow();
    }
}
