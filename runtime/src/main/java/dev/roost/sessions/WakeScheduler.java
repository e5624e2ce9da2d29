package dev.roost.sessions;

import dev.roost.base.Clock;
import dev.roost.config.WakePolicy;
import dev.roost.engine.RuntimeContext;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.record.NoticeOffer;
import dev.roost.ledger.record.NoticeRecord;
import dev.roost.model.EventKind;
import dev.roost.model.Owner;
import dev.roost.model.OwnerSession;
import dev.roost.os.Processes;
import dev.roost.sessions.WakeRules.Rule;
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

/** Wakes owner sessions: collects notices for a while, applies the rules, and records the decision on the timelines. */
public final class WakeScheduler implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(WakeScheduler.class.getName());

    /** Runs a task later, on any thread; a closed timer runs none. */
    public interface WakeTimer extends AutoCloseable {
        void after(long nanos, Runnable task);

        @Override
        void close();
    }

    private final Ledger ledger;
    private final Clock clock;
    private final WakePolicy policy;
    private final WakeRules rules;
    private final Predicate<OwnerSession.HarnessProcess> harnessAlive;
    private final WakeTimer timer;
    private final Map<Owner, DecisionWindow> windows = new HashMap<>();
    private final Map<Owner, CompletableFuture<Optional<NoticeOffer>>> listeners = new HashMap<>();
    private volatile BiFunction<OwnerSession, NoticeOffer, Boolean> headlessWaker = (_, _) -> false;

    /** The time of the first notice since the last decision, and the time of the next decision. */
    private record DecisionWindow(long since, long due) {}

    /** {@code harnessAlive}: whether a harness process is alive, as far as it can be seen. */
    public WakeScheduler(
            Ledger ledger,
            Clock clock,
            WakePolicy policy,
            Predicate<OwnerSession.HarnessProcess> harnessAlive,
            WakeTimer timer) {
        this.ledger = ledger;
        this.clock = clock;
        this.policy = policy;
        this.rules = new WakeRules(policy);
        this.harnessAlive = harnessAlive;
        this.timer = timer;
    }

    public static WakeScheduler open(RuntimeContext context) {
        return new WakeScheduler(
                context.ledger(),
                context.clock(),
                context.config().wakePolicy(),
                harness -> harness.bootId().equals(Processes.bootId()) && Processes.alive(harness.id()),
                timer());
    }

    private static WakeTimer timer() {
        var thread = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("roost-wake").factory());
        return new WakeTimer() {
            @Override
            public void after(long nanos, Runnable task) {
                try {
                    var _ = thread.schedule(task, nanos, TimeUnit.NANOSECONDS);
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

    public WakeRules rules() {
        return rules;
    }

    void headlessWaker(BiFunction<OwnerSession, NoticeOffer, Boolean> waker) {
        headlessWaker = waker;
    }

    /** Schedules a decision after a new notice: once no further notice comes for a while, but not later than the maximum. */
    public void noticeAdded(Owner owner) {
        scheduleDecision(owner, policy.window(), policy.most());
    }

    private synchronized void scheduleDecision(Owner owner, Duration wait, Duration max) {
        long now = clock.monotonicNanos();
        var open = windows.get(owner);
        long since = open == null ? now : open.since;
        long due = Math.min(now + wait.toNanos(), since + Math.max(max.toNanos(), wait.toNanos()));
        windows.put(owner, new DecisionWindow(since, due));
        timer.after(due - now, () -> decideIfDue(owner));
    }

    private void decideIfDue(Owner owner) {
        synchronized (this) {
            var open = windows.get(owner);
            if (open == null || clock.monotonicNanos() < open.due) return; // a later timer decides
            windows.remove(owner);
        }
        try {
            decide(owner);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "the decision whether to wake %s failed".formatted(owner), e);
        }
    }

    private void decide(Owner owner) {
        var session = ledger.sessions().findLocal(owner); // for a session on another node, that node decides
        var undelivered = ledger.sessions().undelivered(owner);
        if (session.isEmpty() || undelivered.isEmpty()) return; // no session to wake, or no notice
        var now = clock.now();
        var against = rules.against(session.get(), undelivered, isHarnessAlive(session.get()), now);
        if (against.isEmpty() && session.get().state() == OwnerSession.SessionState.IDLE && !hasListener(owner))
            against = Optional.of(Rule.NO_WAY);
        if (against.isPresent()) {
            recordHeldBack(undelivered, against.get());
            if (against.get() == Rule.QUIET) {
                var until = session.get().promptedAt().orElse(now).plus(policy.quiet());
                scheduleDecision(owner, Duration.between(now, until).plusMillis(50), Duration.ZERO);
            }
            return;
        }
        wake(session.get(), now);
    }

    private void wake(OwnerSession session, Instant now) {
        var forbiddenBy = new AtomicReference<Rule>(Rule.NOTHING_NEW);
        var offer = ledger.sessions().wake(session.owner(), (at, undelivered) -> {
            var against = rules.against(at, undelivered, isHarnessAlive(at), now);
            against.ifPresent(forbiddenBy::set);
            return against.isEmpty();
        });
        if (offer.isEmpty()) {
            if (ledger.sessions().findLocal(session.owner()).isEmpty()) return; // another node has just got its report
            recordHeldBack(ledger.sessions().undelivered(session.owner()), forbiddenBy.get());
            return;
        }
        boolean delivered = session.state() == OwnerSession.SessionState.ENDED
                ? headlessWaker.apply(session, offer.get())
                : completeListener(session.owner(), offer);
        if (delivered)
            noteOnRuns(offer.get().notices(), "woken with " + offer.get().nonce());
        else {
            ledger.sessions().cancel(offer.get().id());
            recordHeldBack(offer.get().notices(), Rule.NO_WAY);
        }
    }

    private void recordHeldBack(List<NoticeRecord> undelivered, Rule rule) {
        noteOnRuns(undelivered, "not woken: " + rule.inWords());
    }

    private void noteOnRuns(List<NoticeRecord> notices, String text) {
        for (var notice : notices)
            notice.ofRun()
                    .ifPresent(one -> ledger.note(one.run().id(), one.attempt().n(), EventKind.WAKE, text));
    }

    /** Whether the harness is alive. One in another container cannot be seen, but then it has no listener here either. */
    private boolean isHarnessAlive(OwnerSession session) {
        return session.process().map(harnessAlive::test).orElse(true);
    }

    /** Waits for an offer that wakes this owner; empty after the timeout or a cancellation. Only the latest waiter gets it. */
    Optional<NoticeOffer> await(Owner owner, Duration timeout) throws InterruptedException {
        var listener = listen(owner);
        try {
            return listener.completeOnTimeout(Optional.empty(), timeout.toMillis(), TimeUnit.MILLISECONDS)
                    .get();
        } catch (InterruptedException e) {
            listener.complete(
                    Optional.empty()); // a later offer finds no listener; an offer completed just before is canceled
            listener.join().ifPresent(offer -> ledger.sessions().cancel(offer.id()));
            throw e;
        } catch (java.util.concurrent.ExecutionException e) {
            throw new IllegalStateException(e);
        } finally {
            synchronized (this) {
                listeners.remove(owner, listener);
            }
        }
    }

    public CompletableFuture<Optional<NoticeOffer>> listen(Owner owner) {
        var listener = new CompletableFuture<Optional<NoticeOffer>>();
        synchronized (this) {
            var other = listeners.put(owner, listener);
            if (other != null) other.complete(Optional.empty());
        }
        if (!ledger.sessions().undelivered(owner).isEmpty()) noticeAdded(owner);
        return listener;
    }

    private synchronized boolean hasListener(Owner owner) {
        return listeners.containsKey(owner);
    }

    private synchronized boolean completeListener(Owner owner, Optional<NoticeOffer> offer) {
        var listener = listeners.remove(owner);
        return listener != null && listener.complete(offer);
    }

    /** Ends the wait of a listener, because the session works again or has ended. */
    public void cancelWait(Owner owner) {
        completeListener(owner, Optional.empty());
    }

    @Override
    public void close() {
        timer.close();
        synchronized (this) {
            for (var listener : listeners.values()) listener.complete(Optional.empty());
        }
    }
}
