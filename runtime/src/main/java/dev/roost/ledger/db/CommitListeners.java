package dev.roost.ledger.db;

import dev.roost.ledger.record.LedgerMetrics;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Listeners that are called after a commit. */
public final class CommitListeners {

    private static final System.Logger LOG = System.getLogger(CommitListeners.class.getName());

    private final List<Consumer<Set<RunId>>> listeners = new CopyOnWriteArrayList<>();
    private final List<Consumer<Owner>> noticeListeners = new CopyOnWriteArrayList<>();
    private volatile Runnable ownListener = () -> {};
    private volatile LedgerMetrics metrics = LedgerMetrics.NONE;

    /** Adds a listener for each commit, also of other nodes that share the ledger, with the touched runs. It must be quick. */
    public void onCommit(Consumer<Set<RunId>> listener) {
        listeners.add(listener);
    }

    /** Sets the listener for each commit of this node that touched a run. */
    public void onOwnCommit(Runnable listener) {
        ownListener = listener;
    }

    /** Adds a listener for each owner for whom a commit, also of another node, wrote a notice. */
    public void onNotice(Consumer<Owner> listener) {
        noticeListeners.add(listener);
    }

    /** Sets the metrics that count commits and their effects. */
    public void setMetrics(LedgerMetrics metrics) {
        this.metrics = metrics;
    }

    /** Calls the listeners after a commit of this node. */
    void committed(Set<RunId> touched, Set<Owner> noticed) {
        if (!touched.isEmpty()) runSafely(ownListener);
        announce(touched, noticed);
    }

    /** Calls the listeners for a commit of this node or of another. Thread-safe. */
    public void announce(Set<RunId> runs, Set<Owner> owners) {
        for (var listener : listeners) runSafely(() -> listener.accept(runs));
        for (var owner : owners) for (var listener : noticeListeners) runSafely(() -> listener.accept(owner));
    }

    void updateMetrics(Consumer<LedgerMetrics> update) {
        try {
            update.accept(metrics);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a metric could not be updated", e);
        }
    }

    private static void runSafely(Runnable listener) {
        try {
            listener.run();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "commit listener failed", e);
        }
    }
}
