package dev.roost.cluster;

import dev.roost.cluster.files.NodeFiles;
import dev.roost.cluster.files.SharedFileRows;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.RunId;
import dev.roost.node.AttemptControl;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Renews this node's lease three times in its length, and looks whether another node's is over for good. */
final class LeaseKeeper implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(LeaseKeeper.class.getName());

    private static final int AT_ONCE = 4;

    /** What becomes of a node besides its runs. */
    interface LeaseListener {

        /** By the clock that its guard goes by. */
        long now();

        /** The others have heard of it then, or later. */
        void leaseRenewed(long at);

        /** Somebody else has its name: nothing is its own any more. */
        void nameTaken();
    }

    private final Lease lease;
    private final NodeIdentity identity;
    private final Ledger ledger;
    private final LeaseListener fate;
    private final ScheduledExecutorService renewer = single("roost-lease");
    private final ScheduledExecutorService taker = single("roost-takes-over");

    private volatile @Nullable AttemptControl led;
    private boolean heard = true;

    /** From now on the others hear of it, also while it still settles what it had. */
    LeaseKeeper(Lease lease, NodeIdentity identity, Ledger ledger, LeaseListener fate) {
        this.lease = lease;
        this.identity = identity;
        this.ledger = ledger;
        this.fate = fate;
        var _ = renewer.scheduleWithFixedDelay(this::renew, every(), every(), TimeUnit.MILLISECONDS);
    }

    private long every() {
        return identity.leases().lease().dividedBy(3).toMillis();
    }

    /** It has settled: it may be given runs, and takes over what others have left. */
    void startTakeovers(AttemptControl attempts) {
        led = attempts;
        long since = fate.now();
        lease.becomeAvailable();
        fate.leaseRenewed(since);
        attempts.releaseForeign(); // what was taken over while it settled
        var _ = taker.scheduleWithFixedDelay(() -> takeOver(attempts), every(), every(), TimeUnit.MILLISECONDS);
    }

    private static ScheduledExecutorService single(String name) {
        return Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name(name).factory());
    }

    private void renew() {
        try {
            var attempts = led;
            long since = fate.now(); // not later than the database hears of it
            var renewal = lease.renew();
            switch (renewal.state()) {
                case HELD -> {
                    boolean again = !heard; // an earlier renewal that we gave up on may have found it lapsed
                    leaseRenewed(since);
                    if (again && attempts != null) attempts.releaseForeign();
                }
                case LAPSED -> {
                    LOG.log(System.Logger.Level.WARNING, "this node was not heard of for longer than its lease");
                    leaseRenewed(since);
                    if (attempts != null) attempts.releaseForeign();
                }
                case TAKEN -> {
                    LOG.log(System.Logger.Level.ERROR, "another node has the name {0} now", identity.name());
                    heard = false;
                    fate.nameTaken();
                    if (attempts != null) attempts.releaseForeign();
                }
            }
            if (renewal.draining() && attempts != null) attempts.drain();
        } catch (RuntimeException e) {
            if (heard) LOG.log(System.Logger.Level.WARNING, "the lease could not be renewed: {0}", e.getMessage());
            heard = false;
        }
    }

    private void leaseRenewed(long since) {
        if (!heard) LOG.log(System.Logger.Level.INFO, "this node is heard of again");
        heard = true;
        fate.leaseRenewed(since);
    }

    /** A few at a time: much of it is waiting for the database, and nobody else is to wait for it. */
    private void takeOver(AttemptControl attempts) {
        try (var threads = Executors.newFixedThreadPool(
                AT_ONCE, Thread.ofVirtual().name("roost-takes-over-", 0).factory())) {
            for (var node : ledger.read(lease::expiredNodes)) {
                deleteEndedStarts(node);
                for (var run : runs(node)) threads.execute(() -> takeOverSafely(attempts, run, node));
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "what others left could not be looked at: {0}", e.getMessage());
        }
    }

    /** Nobody else would ever find what it had to begin and is over: each node looks at its own alone. */
    private void deleteEndedStarts(NodeRow node) {
        var over = ledger.read(handle -> StartScheduler.endedStarts(handle, node.name()));
        if (over.isEmpty()) return;
        ledger.write(Set.of(), _ -> List.of(), handle -> {
            boolean gone = lease.isExpired(handle, node);
            if (gone) StartScheduler.cancel(handle, over);
            return gone;
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
            LOG.log(System.Logger.Level.WARNING, run.id() + " could not be taken over; will try again", e);
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
        taker.shutdownNow();
    }
}
