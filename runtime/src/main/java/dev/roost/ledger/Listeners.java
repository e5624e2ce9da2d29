package dev.roost.ledger;

import dev.roost.run.Owner;
import dev.roost.run.RunId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Who is told of what is durable. */
final class Listeners {

    private static final System.Logger LOG = System.getLogger(Listeners.class.getName());

    private final List<Consumer<Set<RunId>>> listeners = new CopyOnWriteArrayList<>();
    private final List<Consumer<Owner>> noticeListeners = new CopyOnWriteArrayList<>();
    private volatile Runnable ownListener = () -> {};
    private volatile Meters meters = Meters.NONE;

    void onCommit(Consumer<Set<RunId>> listener) {
        listeners.add(listener);
    }

    /** Not of what others have committed. */
    void onOwnCommit(Runnable listener) {
        ownListener = listener;
    }

    void onNotice(Consumer<Owner> listener) {
        noticeListeners.add(listener);
    }

    void measuredBy(Meters meters) {
        this.meters = meters;
    }

    /** What this node has committed itself. */
    void committed(Set<RunId> touched, Set<Owner> noticed) {
        if (!touched.isEmpty()) quietly(ownListener);
        announce(touched, noticed);
    }

    /** Tells the listeners of what is durable, here or by others. To be called from anywhere. */
    void announce(Set<RunId> runs, Set<Owner> owners) {
        for (var listener : listeners) quietly(() -> listener.accept(runs));
        for (var owner : owners) for (var listener : noticeListeners) quietly(() -> listener.accept(owner));
    }

    void tell(Consumer<Meters> what) {
        try {
            what.accept(meters);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a meter failed", e);
        }
    }

    private static void quietly(Runnable listener) {
        try {
            listener.run();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "commit listener failed", e);
        }
    }
}
