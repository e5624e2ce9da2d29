package dev.roost.sim;

import dev.roost.base.Clock;
import dev.roost.base.FaultPoints;
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
 * One possible day of a machine, its daemon, its users and their sessions, by its seed: real are the ledger with its
 * constraints, what decides about attempts ({@code AttemptStateMachine}), and what decides about sessions ({@code WakeScheduler}); simulated
 * are time, processes, files, and who wants what. Everything happens on one thread, in an order that the seed decides.
 */
final class Simulation implements Clock {

    static final long MILLI = 1_000_000;
    static final long SECOND = 1000 * MILLI;

    private static final Instant DAWN = Instant.parse("2026-11-16T08:00:00Z");
    private static final long CALM_AFTER = 6 * SECOND;
    /** Like the usual one, but in shorter days. */
    static final WakePolicy WAKING = new WakePolicy(
            WakePolicy.Mode.IDLE, Duration.ofSeconds(2), 3, Duration.ofMillis(400), Duration.ofSeconds(1));

    private static final long PATIENCE = 180 * SECOND;
    private static final int MOST_CRASHES = 3;

    /** What goes wrong on such a day. */
    enum Trouble {
        CRASHES,
        LOST_EVENTS,
        KILLS,
        REBOOT,
        PIDS_REUSED,
        CLOCK_JUMPS,
        LOST_ANSWERS,
        SLOW_DAEMON
    }

    /** The daemon is dead from here on. */
    static final class Crash extends Error {
        Crash() {
            super("the daemon dies here", null, false, false);
        }
    }

    private static final class Entry {
        final long at;
        final long order;
        final String what;
        final Runnable work;

        Entry(long at, long order, String what, Runnable work) {
            this.at = at;
            this.order = order;
            this.what = what;
            this.work = work;
        }
    }

    private static final Comparator<Entry> SOONEST =
            (one, other) -> one.at == other.at ? Long.compare(one.order, other.order) : Long.compare(one.at, other.at);

    final SplittableRandom random;
    final SimulatedFlaw simulatedFlaw;
    final Ledger truth;
    final Ledger ledger;
    final EnumSet<Trouble> troubles = EnumSet.noneOf(Trouble.class);
    final SimulatedMachine machine;
    final SimulatedUsers users;

    private final MemoryLedgerDatabase store;
    private final boolean telling;
    private final List<String> diary = new ArrayList<>();
    private final PriorityQueue<Entry> world = new PriorityQueue<>(SOONEST);
    private final PriorityQueue<Entry> daemons = new PriorityQueue<>(SOONEST);
    private Optional<SimulatedDaemon> daemon = Optional.empty();
    private Optional<String> broken = Optional.empty();
    private long nanos = SECOND;
    private long skew;
    private long order;
    private long bootedAt;
    private int crashes;
    private int depth;
    private boolean calm;

    /** {@code telling}: keeps a diary, which takes time. */
    Simulation(long seed, SimulatedFlaw simulatedFlaw, MemoryLedgerDatabase store, boolean telling) {
        this.random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L);
        this.simulatedFlaw = simulatedFlaw;
        this.store = store;
        this.telling = telling;
        store.empty();
        if (simulatedFlaw == SimulatedFlaw.NOTICE_OUTSIDE_THE_TRANSACTION) store.noticesComeLate();
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

    /** What promise was broken, if one was. */
    Optional<String> play() {
        startDaemon();
        users.plan();
        if (troubles.contains(Trouble.REBOOT)) later(chance(4 * SECOND), "reboot", this::reboot);
        if (troubles.contains(Trouble.CLOCK_JUMPS))
            later(chance(4 * SECOND), "clock jumps", () -> skew += (random.nextInt(80) - 40) * SECOND);
        if (troubles.contains(Trouble.CRASHES))
            later(chance(4 * SECOND), "kill -9 of the daemon", () -> daemonDies("killed"));
        later(CALM_AFTER, "calm", this::calm);
        while (broken.isEmpty() && !users.areContent()) {
            var next = next();
            if (next.isEmpty()) broken("nothing happens any more, and not all is done: " + users.open());
            else if (nanos > CALM_AFTER + PATIENCE) broken("not all came to its end: " + users.open());
            else run(next.get());
        }
        if (broken.isEmpty()) users.judge();
        return broken;
    }

    private Optional<Entry> next() {
        var one = world.peek();
        var other = daemons.peek();
        if (one == null || (other != null && SOONEST.compare(other, one) < 0))
            return Optional.ofNullable(daemons.poll());
        return Optional.ofNullable(world.poll());
    }

    private void run(Entry entry) {
        nanos = Math.max(nanos, entry.at);
        tell(entry.what);
        try {
            entry.work.run();
        } catch (Crash e) {
            daemonDies("died in the middle of: " + entry.what);
        }
    }

    /** The rest of the world does not wait while the daemon looks and thinks. */
    void meanwhile() {
        if (depth > 0 || random.nextInt(3) != 0) return;
        var whoever = daemon;
        depth++;
        try {
            for (int most = 1 + random.nextInt(3); most > 0; most--) {
                var next = world.peek();
                if (next == null || next.at > nanos + 100 * MILLI) break;
                world.poll();
                nanos = Math.max(nanos, next.at);
                tell("  meanwhile " + next.what);
                next.work.run();
            }
        } finally {
            depth--;
        }
        if (!daemon.equals(whoever)) throw new Crash(); // that was us
    }

    void later(long wait, String what, Runnable work) {
        world.add(new Entry(nanos + wait, order++, what, work));
    }

    /** For the daemon that is there now, and for no other. */
    void inDaemon(SimulatedDaemon own, long wait, String what, Runnable work) {
        long slow = troubles.contains(Trouble.SLOW_DAEMON) && !calm ? chance(300 * MILLI) : 0;
        daemons.add(new Entry(nanos + wait + slow, order++, what, () -> {
            if (daemon.filter(now -> now == own).isPresent()) work.run();
        }));
    }

    long chance(long below) {
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

    /** Also for a hook that finds none. */
    void startDaemon() {
        if (daemon.isPresent()) return;
        tell("a daemon starts");
        var one = new SimulatedDaemon(this);
        daemon = Optional.of(one);
        try {
            one.settle();
        } catch (Crash e) {
            daemonDies("died while it started");
        }
    }

    private void daemonDies(String why) {
        if (daemon.isEmpty()) return;
        tell("the daemon is dead: " + why);
        store.forgetWhatWasToCome();
        daemon = Optional.empty();
        daemons.clear();
        later(50 * MILLI + chance(SECOND), "a daemon is to start", this::startDaemon);
    }

    private void reboot() {
        daemonDies("the machine restarts");
        bootedAt = nanos;
        machine.reboot();
        users.reboot();
    }

    /** Here the daemon may die. */
    void crashPoint() {
        if (!has(Trouble.CRASHES) || crashes >= MOST_CRASHES || !oneIn(16)) return;
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
                store.afterwards();
                if (has(Trouble.LOST_ANSWERS) && oneIn(12))
                    throw new IllegalStateException("the disk failed, though all was written");
            }
        };
    }

    void tell(String what) {
        if (telling) diary.add("%8.3f s  %s".formatted(nanos / 1e9, what));
    }

    /** All that there are. */
    int runs() {
        return store.runs();
    }

    boolean telling() {
        return telling;
    }

    List<String> diary() {
        return diary;
    }

    void broken(String what) {
        tell("BROKEN: " + what);
        if (broken.isEmpty()) broken = Optional.of(what);
    }

    long nanos() {
        return nanos;
    }

    @Override
    public Instant now() {
        return DAWN.plusNanos(nanos + skew);
    }

    @Override
    public long monotonicNanos() {
        return nanos - bootedAt + SECOND;
    }

    @Override
    public long sleptNanos() {
        return 0;
    }
}
