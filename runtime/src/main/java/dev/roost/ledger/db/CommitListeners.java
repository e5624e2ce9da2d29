package dev.roost.ledger.db;

import dev.roost.ledger.record.LedgerMetrics;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Who is told of what is durable. */
public final class CommitListeners {

    private static final System.Logger LOG = System.getLogger(CommitListeners.class.getName());

    private final List<Consumer<Set<RunId>>> listeners = new CopyOnWriteArrayList<>();
    private final List<Consumer<Owner>> noticeListeners = new CopyOnWriteArrayList<>();
    private volatile Runnable ownListener = () -> {};
    private volatile LedgerMetrics metrics = LedgerMetrics.NONE;

    /** Called after each commit, also of others that share the ledger, with the runs it touched: must be quick. On any thread. */
    public void onCommit(Consumer<Set<RunId>> listener) {
        listeners.add(listener);
    }

    /** Called after each commit of this node alone that touched a run. */
    public void onOwnCommit(Runnable listener) {
        ownListener = listener;
    }

    /** Called in the same way with each owner for whom it wrote a notice. */
    public void onNotice(Consumer<Owner> listener) {
        noticeListeners.add(listener);
    }

    /** From now on {@code meters} are told what was made durable. */
    public void setMetrics(LedgerMetrics metrics) {
        this.metrics = metrics;
    }

    /** What this node has committed itself. */
    void committed(Set<RunId> touched, Set<Owner> noticed) {
        if (!touched.isEmpty()) runSafely(ownListener);
        announce(touched, noticed);
    }

    /** Tells the listeners of what is durable, here or by others. To be called from anywhere. */
    public void announce(Set<RunId> runs, Set<Owner> owners) {
        for (var listener : listeners) runSafely(() -> listener.accept(runs));
        for (var owner : owners) for (var listener : noticeListeners) runSafely(() -> listener.accept(owner));
    }

    void tell(Consumer<LedgerMetrics> what) {
        try {
            what.accept(metrics);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a meter failed", e);
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
