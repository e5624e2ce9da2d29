package dev.roost.house;

import dev.roost.ledger.Ledger;
import dev.roost.ledger.Notice;
import dev.roost.ledger.Offer;
import dev.roost.run.Clock;
import dev.roost.run.EventKind;
import dev.roost.run.Owner;
import dev.roost.run.Parent;
import dev.roost.sessions.WakePolicy;
import dev.roost.sessions.WakeRules;
import dev.roost.sessions.WakeRules.Rule;
import dev.roost.supervisor.Processes;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/** Wakes parent sessions: waits until no further end comes, asks the rules, and writes down what they said. */
final class Waking implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Waking.class.getName());

    /** Calls back later, on any thread; after it was closed, not at all. */
    interface Timer extends AutoCloseable {
        void after(long nanos, Runnable what);

        @Override
        void close();
    }

    private final Ledger ledger;
    private final Clock clock;
    private final WakePolicy policy;
    private final WakeRules rules;
    private final Predicate<Parent.Harness> there;
    private final Timer timer;
    private final Map<Owner, Window> windows = new HashMap<>();
    private final Map<Owner, CompletableFuture<Optional<Offer>>> listeners = new HashMap<>();
    private volatile BiFunction<Parent, Offer, Boolean> headless = (_, _) -> false;

    /** When the first notice came that nobody has been woken for, and when to decide. */
    private record Window(long since, long due) {}

    /** {@code there}: whether a harness is, as far as can be seen. */
    Waking(Ledger ledger, Clock clock, WakePolicy policy, Predicate<Parent.Harness> there, Timer timer) {
        this.ledger = ledger;
        this.clock = clock;
        this.policy = policy;
        this.rules = new WakeRules(policy);
        this.there = there;
        this.timer = timer;
    }

    static Waking open(Rooms rooms) {
        return new Waking(
                rooms.ledger(),
                rooms.clock(),
                rooms.config().waking(),
                harness -> harness.bootId().equals(Processes.bootId()) && Processes.alive(harness.id()),
                timer());
    }

    private static Timer timer() {
        var thread = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("roost-wake").factory());
        return new Timer() {
            @Override
            public void after(long nanos, Runnable what) {
                try {
                    var _ = thread.schedule(what, nanos, TimeUnit.NANOSECONDS);
                } catch (RejectedExecutionException e) {
                    // closing: the next daemon finds the notice
                }
            }

            @Override
            public void close() {
                thread.shutdownNow();
            }
        };
    }

    WakeRules rules() {
        return rules;
    }

    void headless(BiFunction<Parent, Offer, Boolean> way) {
        headless = way;
    }

    /** Something is there to be told: decide once nothing more comes for a while, but do not put it off for ever. */
    void news(Owner owner) {
        later(owner, policy.window(), policy.most());
    }

    private synchronized void later(Owner owner, Duration wait, Duration most) {
        long now = clock.monotonicNanos();
        var open = windows.get(owner);
        long since = open == null ? now : open.since;
        long due = Math.min(now + wait.toNanos(), since + Math.max(most.toNanos(), wait.toNanos()));
        windows.put(owner, new Window(since, due));
        timer.after(due - now, () -> decideIfDue(owner));
    }

    private void decideIfDue(Owner owner) {
        synchronized (this) {
            var open = windows.get(owner);
            if (open == null || clock.monotonicNanos() < open.due) return; // a later one has its own appointment
            windows.remove(owner);
        }
        try {
            decide(owner);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "whether to wake %s could not be decided".formatted(owner), e);
        }
    }

    private void decide(Owner owner) {
        var parent = ledger.sessions().here(owner); // where it is elsewhere, its own node decides
        var untold = ledger.sessions().untold(owner);
        if (parent.isEmpty() || untold.isEmpty()) return; // nobody who could be woken, or nothing to say
        var now = clock.now();
        var against = rules.against(parent.get(), untold, lives(parent.get()), now);
        if (against.isEmpty() && parent.get().state() == Parent.State.IDLE && !isHeard(owner))
            against = Optional.of(Rule.NO_WAY);
        if (against.isPresent()) {
            hold(untold, against.get());
            if (against.get() == Rule.QUIET) {
                var until = parent.get().promptedAt().orElse(now).plus(policy.quiet());
                later(owner, Duration.between(now, until).plusMillis(50), Duration.ZERO);
            }
            return;
        }
        ring(parent.get(), now);
    }

    private void ring(Parent parent, Instant now) {
        var because = new AtomicReference<Rule>(Rule.NOTHING_NEW);
        var offer = ledger.sessions().wake(parent.owner(), (at, untold) -> {
            var against = rules.against(at, untold, lives(at), now);
            against.ifPresent(because::set);
            return against.isEmpty();
        });
        if (offer.isEmpty()) {
            if (ledger.sessions().here(parent.owner()).isEmpty()) return; // it has just been heard of elsewhere
            hold(ledger.sessions().untold(parent.owner()), because.get());
            return;
        }
        boolean heard = parent.state() == Parent.State.ENDED
                ? headless.apply(parent, offer.get())
                : answer(parent.owner(), offer);
        if (heard) note(offer.get().notices(), "woken with " + offer.get().nonce());
        else {
            ledger.sessions().withdraw(offer.get().id());
            hold(offer.get().notices(), Rule.NO_WAY);
        }
    }

    private void hold(List<Notice> untold, Rule rule) {
        note(untold, "not woken: " + rule.inWords());
    }

    private void note(List<Notice> notices, String text) {
        for (var notice : notices)
            notice.ofRun()
                    .ifPresent(one -> ledger.note(one.run().id(), one.attempt().n(), EventKind.WAKE, text));
    }

    /** As far as can be seen: a harness in another container is not seen, but then nobody listens for it here either. */
    private boolean lives(Parent parent) {
        return parent.process().map(there::test).orElse(true);
    }

    /** Waits until this owner is to be woken; empty when there is no need to wait any more. The latest who waits is told. */
    Optional<Offer> await(Owner owner, Duration timeout) throws InterruptedException {
        var mine = listen(owner);
        try {
            return mine.completeOnTimeout(Optional.empty(), timeout.toMillis(), TimeUnit.MILLISECONDS)
                    .get();
        } catch (InterruptedException e) {
            mine.complete(
                    Optional.empty()); // who rings after this finds nobody; who did just before it has told nobody
            mine.join().ifPresent(offer -> ledger.sessions().withdraw(offer.id()));
            throw e;
        } catch (java.util.concurrent.ExecutionException e) {
            throw new IllegalStateException(e);
        } finally {
            synchronized (this) {
                listeners.remove(owner, mine);
            }
        }
    }

    CompletableFuture<Optional<Offer>> listen(Owner owner) {
        var mine = new CompletableFuture<Optional<Offer>>();
        synchronized (this) {
            var other = listeners.put(owner, mine);
            if (other != null) other.complete(Optional.empty());
        }
        if (!ledger.sessions().untold(owner).isEmpty()) news(owner);
        return mine;
    }

    private synchronized boolean isHeard(Owner owner) {
        return listeners.containsKey(owner);
    }

    private synchronized boolean answer(Owner owner, Optional<Offer> offer) {
        var listener = listeners.remove(owner);
        return listener != null && listener.complete(offer);
    }

    /** The session works again, or is over: who waits to wake it need not wait any longer. */
    void release(Owner owner) {
        answer(owner, Optional.empty());
    }

    @Override
    public void close() {
        timer.close();
        synchronized (this) {
            for (var listener : listeners.values()) listener.complete(Optional.empty());
        }
    }
}
