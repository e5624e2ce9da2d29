package dev.roost.cluster;

import dev.roost.house.Led;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.Run;
import dev.roost.ledger.Sql;
import dev.roost.run.RunId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Renews this node's lease three times in its length, and looks whether another node's is over for good. */
final class Beat implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Beat.class.getName());

    private static final int AT_ONCE = 4;

    /** What becomes of a node besides its runs. */
    interface Fate {

        /** By the clock that its guard goes by. */
        long now();

        /** The others have heard of it then, or later. */
        void heard(long at);

        /** Somebody else has its name: nothing is its own any more. */
        void expelled();
    }

    private final Lease lease;
    private final Member member;
    private final Ledger ledger;
    private final Fate fate;
    private final ScheduledExecutorService renewer = single("roost-lease");
    private final ScheduledExecutorService taker = single("roost-takes-over");

    private volatile @Nullable Led led;
    private boolean heard = true;

    /** From now on the others hear of it, also while it still settles what it had. */
    Beat(Lease lease, Member member, Ledger ledger, Fate fate) {
        this.lease = lease;
        this.member = member;
        this.ledger = ledger;
        this.fate = fate;
        var _ = renewer.scheduleWithFixedDelay(this::renew, every(), every(), TimeUnit.MILLISECONDS);
    }

    private long every() {
        return member.leases().lease().dividedBy(3).toMillis();
    }

    /** It has settled: it may be given runs, and takes over what others have left. */
    void lead(Led attempts) {
        led = attempts;
        long since = fate.now();
        lease.offer();
        fate.heard(since);
        attempts.letGoOfLost(); // what was taken over while it settled
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
            switch (renewal.found()) {
                case HELD -> {
                    boolean again = !heard; // an earlier renewal that we gave up on may have found it lapsed
                    back(since);
                    if (again && attempts != null) attempts.letGoOfLost();
                }
                case LAPSED -> {
                    LOG.log(System.Logger.Level.WARNING, "this node was not heard of for longer than its lease");
                    back(since);
                    if (attempts != null) attempts.letGoOfLost();
                }
                case TAKEN -> {
                    LOG.log(System.Logger.Level.ERROR, "another node has the name {0} now", member.name());
                    heard = false;
                    fate.expelled();
                    if (attempts != null) attempts.letGoOfLost();
                }
            }
            if (renewal.moving() && attempts != null) attempts.moveAway();
        } catch (RuntimeException e) {
            if (heard) LOG.log(System.Logger.Level.WARNING, "the lease could not be renewed: {0}", e.getMessage());
            heard = false;
        }
    }

    private void back(long since) {
        if (!heard) LOG.log(System.Logger.Level.INFO, "this node is heard of again");
        heard = true;
        fate.heard(since);
    }

    /** A few at a time: much of it is waiting for the database, and nobody else is to wait for it. */
    private void takeOver(Led attempts) {
        try (var threads = Executors.newFixedThreadPool(
                AT_ONCE, Thread.ofVirtual().name("roost-takes-over-", 0).factory())) {
            for (var node : ledger.read(lease::gone)) {
                clear(node);
                for (var run : runs(node)) threads.execute(() -> takeOverSafely(attempts, run, node));
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "what others left could not be looked at: {0}", e.getMessage());
        }
    }

    /** Nobody else would ever find what it had to begin and is over: each node looks at its own alone. */
    private void clear(Node node) {
        var over = ledger.read(handle -> Starts.over(handle, node.name()));
        if (over.isEmpty()) return;
        ledger.write(Set.of(), _ -> List.of(), handle -> {
            boolean gone = lease.isGone(handle, node);
            if (gone) Starts.withdraw(handle, over);
            return gone;
        });
    }

    private List<Run> runs(Node node) {
        var ids = ledger.read(handle -> handle.select(
                        "SELECT run_id FROM attempt WHERE status = 'running' AND node = ? ORDER BY run_id", node.name())
                .list(Sql::text));
        return ids.stream()
                .flatMap(id -> ledger.runs().find(new RunId(id)).stream())
                .toList();
    }

    private void takeOverSafely(Led attempts, Run run, Node node) {
        try {
            takeOver(attempts, run, node);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, run.id() + " could not be taken over; will try again", e);
        }
    }

    private void takeOver(Led attempts, Run run, Node node) {
        int attempt = run.latest().n();
        boolean unstarted = run.latest().began().isEmpty()
                && ledger.read(handle -> Starts.isWaiting(handle, node.name(), run.id()));
        var loss = new Led.Loss(node.name(), node.heardAt(), unstarted);
        attempts.takeOver(
                run,
                loss,
                end -> ledger.finish(run.id(), attempt, end, handle -> {
                    if (!lease.isGone(handle, node)) return false;
                    ShelfRows.fence(handle, run.id(), SharedFiles.writer(attempt, true));
                    if (unstarted) return Starts.withdrawUnbegun(handle, node.name(), run.id(), attempt);
                    Starts.withdraw(handle, node.name(), run.id(), attempt);
                    return true;
                }));
    }

    @Override
    public void close() {
        renewer.shutdownNow();
        taker.shutdownNow();
    }
}
