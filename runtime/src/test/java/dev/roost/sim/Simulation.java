package dev.roost.sim;

import dev.roost.base.Clock;
import dev.roost.base.FaultPoints;
import dev.roost.chaos.promise.Promise;
import dev.roost.chaos.promise.PromiseChecker;
import dev.roost.chaos.promise.RunFact;
import dev.roost.chaos.promise.Violation;
import dev.roost.config.WakePolicy;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.db.MemoryLedgerDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * A simulated schedule of a machine, its daemon, its users and their sessions, determined by its seed. Real are the ledger
 * with its constraints, {@code AttemptStateMachine} with all its rules and {@code WakeScheduler}; simulated are time,
 * processes, files and users. Everything runs on one thread, in an order that the seed decides.
 */
final class Simulation implements Clock {

    static final long MILLI = 1_000_000;
    static final long SECOND = 1000 * MILLI;

    private static final Instant START_TIME = Instant.parse("2026-11-16T08:00:00Z");
    private static final long CALM_AFTER = 6 * SECOND;
    private static final long SLEEP_LENGTH = 60 * SECOND;
    /** Like the default policy, with shorter times. */
    static final WakePolicy WAKING = new WakePolicy(
            WakePolicy.Mode.IDLE, Duration.ofSeconds(2), 3, Duration.ofMillis(400), Duration.ofSeconds(1));

    private static final long MAX_RECOVERY = 180 * SECOND;
    private static final int MAX_CRASHES = 3;

    /** The kinds of faults in a schedule. */
    enum Trouble {
        CRASHES,
        LOST_EVENTS,
        KILLS,
        REBOOT,
        PIDS_REUSED,
        CLOCK_JUMPS,
        LOST_ANSWERS,
        SLOW_DAEMON,
        SLEEP
    }

    /** Thrown where the daemon dies. */
    static final class Crash extends Error {
        Crash() {
            super("the daemon dies here", null, false, false);
        }
    }

    private static final class ScheduledEvent {
        final long at;
        final long order;
        final String what;
        final Runnable work;

        ScheduledEvent(long at, long order, String what, Runnable work) {
            this.at = at;
            this.order = order;
            this.what = what;
            this.work = work;
        }
    }

    private static final Comparator<ScheduledEvent> SOONEST =
            (one, other) -> one.at == other.at ? Long.compare(one.order, other.order) : Long.compare(one.at, other.at);

    final SplittableRandom random;
    final SimulatedFlaw simulatedFlaw;
    final Ledger truth;
    final Ledger ledger;
    final EnumSet<Trouble> troubles = EnumSet.noneOf(Trouble.class);
    final SimulatedMachine machine;
    final SimulatedUsers users;

    private final MemoryLedgerDatabase store;
    private final boolean logging;
    private final List<String> eventLog = new ArrayList<>();
    private final PriorityQueue<ScheduledEvent> worldEvents = new PriorityQueue<>(SOONEST);
    private final PriorityQueue<ScheduledEvent> daemonEvents = new PriorityQueue<>(SOONEST);
    private Optional<SimulatedDaemon> daemon = Optional.empty();
    private final PromiseChecker checker = new PromiseChecker();
    private Optional<Violation> broken = Optional.empty();
    private long nanos = SECOND;
    private long skew;
    private long order;
    private long bootedAt;
    private long slept;
    private long sleptBeforeBoot;
    private int crashes;
    private int depth;
    private boolean calm;

    /** {@code logging}: keeps a log of all events, which takes time. */
    Simulation(long seed, SimulatedFlaw simulatedFlaw, MemoryLedgerDatabase store, boolean logging) {
        this.random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L);
        this.simulatedFlaw = simulatedFlaw;
        this.store = store;
        this.logging = logging;
        store.empty();
        if (simulatedFlaw == SimulatedFlaw.NOTICE_OUTSIDE_THE_TRANSACTION) store.delayNotices();
        var whole = store.ledger(this);
        whole.setFaultPoints(faults());
        whole.listeners().onCommit(runs -> daemon.ifPresent(one -> one.committed(runs)));
        whole.listeners().onNotice(owner -> daemon.ifPresent(one -> one.noticed(owner)));
        this.truth = whole;
        this.ledger = simulatedFlaw.in(whole, () -> nanos);
        for (var trouble : Trouble.values()) if (random.nextInt(3) == 0) troubles.add(trouble);
        this.machine = new SimulatedMachine(this);
        this.users = new SimulatedUsers(this);
    }

    /** Plays the schedule and returns the broken promise, if any. */
    Optional<String> play() {
        startDaemon();
        users.plan();
        if (troubles.contains(Trouble.REBOOT)) later(randomBelow(4 * SECOND), "reboot", this::reboot);
        if (troubles.contains(Trouble.CLOCK_JUMPS))
            later(randomBelow(4 * SECOND), "clock jumps", () -> skew += (random.nextInt(80) - 40) * SECOND);
        if (troubles.contains(Trouble.CRASHES))
            later(randomBelow(4 * SECOND), "kill -9 of the daemon", () -> daemonDies("killed"));
        if (troubles.contains(Trouble.SLEEP)) later(randomBelow(5 * SECOND), "the machine sleeps", this::sleep);
        later(CALM_AFTER, "calm", this::calm);
        while (broken.isEmpty() && !users.areDone()) {
            var next = next();
            if (next.isEmpty()) unfinished("no event is left");
            else if (awake() > CALM_AFTER + MAX_RECOVERY) unfinished("the time is over");
            else run(next.get());
        }
        if (broken.isEmpty()) users.checkPromises();
        return broken.map(Violation::toString);
    }

    private Optional<ScheduledEvent> next() {
        var one = worldEvents.peek();
        var other = daemonEvents.peek();
        if (one == null || (other != null && SOONEST.compare(other, one) < 0))
            return Optional.ofNullable(daemonEvents.poll());
        return Optional.ofNullable(worldEvents.poll());
    }

    private void run(ScheduledEvent entry) {
        nanos = Math.max(nanos, entry.at);
        log(entry.what);
        try {
            entry.work.run();
        } catch (Crash e) {
            daemonDies("died during: " + entry.what);
        }
    }

    /** Runs other events between two actions of the daemon. */
    void meanwhile() {
        if (depth > 0 || random.nextInt(3) != 0) return;
        var running = daemon;
        depth++;
        try {
            for (int left = 1 + random.nextInt(3); left > 0; left--) {
                var next = worldEvents.peek();
                if (next == null || next.at > nanos + 100 * MILLI) break;
                worldEvents.poll();
                nanos = Math.max(nanos, next.at);
                log("  meanwhile " + next.what);
                next.work.run();
            }
        } finally {
            depth--;
        }
        if (!daemon.equals(running)) throw new Crash(); // this daemon died meanwhile
    }

    void later(long wait, String what, Runnable work) {
        worldEvents.add(new ScheduledEvent(nanos + wait, order++, what, work));
    }

    /** Schedules work that runs only if this daemon is still alive then. */
    void inDaemon(SimulatedDaemon own, long wait, String what, Runnable work) {
        long slow = troubles.contains(Trouble.SLOW_DAEMON) && !calm ? randomBelow(300 * MILLI) : 0;
        daemonEvents.add(new ScheduledEvent(nanos + wait + slow, order++, what, () -> {
            if (daemon.filter(now -> now == own).isPresent()) work.run();
        }));
    }

    long randomBelow(long below) {
        return random.nextLong(below);
    }

    boolean oneIn(int many) {
        return random.nextInt(many) == 0;
    }

    boolean has(Trouble trouble) {
        return !calm && troubles.contains(trouble);
    }

    boolean isCalm() {
        return calm;
    }

    private void calm() {
        calm = true;
        if (daemon.isEmpty()) startDaemon();
        users.calm();
    }

    Optional<SimulatedDaemon> daemon() {
        return daemon;
    }

    /** Starts a daemon if none is alive; a hook does that, too. */
    void startDaemon() {
        if (daemon.isPresent()) return;
        log("a daemon starts");
        var one = new SimulatedDaemon(this);
        daemon = Optional.of(one);
        try {
            one.recover();
        } catch (Crash e) {
            daemonDies("died while it started");
        }
    }

    private void daemonDies(String why) {
        if (daemon.isEmpty()) return;
        log("the daemon is dead: " + why);
        store.discardDelayedNotices();
        daemon = Optional.empty();
        daemonEvents.clear();
        later(50 * MILLI + randomBelow(SECOND), "a daemon is to start", this::startDaemon);
    }

    /** Nothing happens for a minute, and the monotonic clock stands still. */
    private void sleep() {
        nanos += SLEEP_LENGTH;
        slept += SLEEP_LENGTH;
        postpone(worldEvents);
        postpone(daemonEvents);
    }

    private static void postpone(PriorityQueue<ScheduledEvent> events) {
        var later = events.stream()
                .map(event -> new ScheduledEvent(event.at + SLEEP_LENGTH, event.order, event.what, event.work))
                .toList();
        events.clear();
        events.addAll(later);
    }

    /** The time for which the machine has been awake, over all boots. */
    long awake() {
        return nanos - slept;
    }

    private void reboot() {
        daemonDies("the machine restarts");
        bootedAt = nanos;
        sleptBeforeBoot = slept;
        machine.reboot();
        users.reboot();
    }

    /** A point at which the daemon may die. */
    void crashPoint() {
        if (!has(Trouble.CRASHES) || crashes >= MAX_CRASHES || !oneIn(16)) return;
        crashes++;
        throw new Crash();
    }

    private FaultPoints faults() {
        return new FaultPoints() {
            @Override
            public void before(List<Step> steps) {
                crashPoint();
            }

            @Override
            public void after(List<Step> steps) {
                crashPoint();
                store.writeDelayedNotices();
                if (has(Trouble.LOST_ANSWERS) && oneIn(12))
                    throw new IllegalStateException("the disk failed after the write");
            }
        };
    }

    void log(String what) {
        if (logging) eventLog.add("%8.3f s  %s".formatted(nanos / 1e9, what));
    }

    boolean logging() {
        return logging;
    }

    List<String> eventLog() {
        return eventLog;
    }

    void see(RunFact... facts) {
        checker.see(awake() / 1e9, facts);
        if (broken.isPresent()) return;
        broken = checker.violations().stream().findFirst();
        broken.ifPresent(violation -> log("BROKEN: " + violation));
    }

    private void unfinished(String why) {
        see(new RunFact.Answer(Promise.NO_ROW_LIES, "", why, users.open().toString(), "all is finished"));
    }

    long nanos() {
        return nanos;
    }

    @Override
    public Instant now() {
        return START_TIME.plusNanos(nanos + skew);
    }

    @Override
    public long monotonicNanos() {
        return nanos - bootedAt - (slept - sleptBeforeBoot) + SECOND;
    }

    @Override
    public long sleptNanos() {
        return slept - sleptBeforeBoot;
    }
}
