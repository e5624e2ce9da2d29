package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.chaos.promise.Promise;
import dev.roost.chaos.promise.PromiseChecker;
import dev.roost.chaos.promise.RunFact;
import dev.roost.chaos.promise.Violation;
import dev.roost.cluster.db.ConnectionSource;
import dev.roost.cluster.db.DatabaseAddress;
import dev.roost.cluster.db.PostgresDatabase;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.ledger.testing.NewRunSamples;
import dev.roost.model.Caps;
import dev.roost.model.Cause;
import dev.roost.model.Evidence;
import dev.roost.model.Outcome;
import dev.roost.model.Owner;
import dev.roost.model.Phase;
import dev.roost.model.ProcessId;
import dev.roost.model.RunEvent;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.model.StopReason;
import dev.roost.os.SystemClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A random schedule of three nodes on one database. The seed decides what each thread does, but not their interleaving. */
final class RandomLedgerSchedule implements AutoCloseable {

    private static final int STEPS = 60;
    private static final int THREADS_EACH = 3;
    private static final List<String> NAMES = List.of("a", "b", "c");
    private static final List<Owner> OWNERS = List.of(new Owner("claude:one"), new Owner("codex:two"));
    private static final Caps CAPS = new Caps(3, 5, Caps.Overflow.QUEUE);
    private static final int OF_A_NODE = 2;
    private static final RunEvent SUCCESS = new RunEvent.Exited(new Outcome.Completed());

    private final long seed;
    private final SystemClock clock = new SystemClock();
    private final ConnectionSource beside;
    private final List<Node> nodes = new ArrayList<>();
    private final Queue<RunId> runs = new ConcurrentLinkedQueue<>();
    private final PromiseChecker checker = new PromiseChecker();
    private final Map<String, AtomicInteger> finished = new ConcurrentHashMap<>();
    private final Set<String> readers = ConcurrentHashMap.newKeySet();
    private final Set<Long> acknowledged = ConcurrentHashMap.newKeySet();
    private final List<Long> followed = new ArrayList<>();
    private volatile boolean over;

    private record Node(String name, Ledger ledger, RunPlacer placer, Lease lease) {}

    RandomLedgerSchedule(long seed, String address) {
        this.seed = seed;
        this.beside = new ConnectionSource(DatabaseAddress.parse(address).source("beside", 0));
        for (var name : NAMES) {
            var ledger = PostgresDatabase.open(address, name, clock);
            var identity = new NodeIdentity(
                    name,
                    name,
                    "1",
                    Set.of(),
                    OF_A_NODE,
                    CAPS.machine(),
                    new NodeIdentity.LeaseTimes(Duration.ofMinutes(5), Duration.ofMinutes(10)));
            var lease = new Lease(beside, identity);
            lease.join();
            lease.becomeAvailable();
            nodes.add(new Node(name, ledger, new RunPlacer(ledger, clock, name), lease));
        }
    }

    List<Violation> broken() {
        return checker.violations();
    }

    private void see(RunFact... facts) {
        checker.see(System.nanoTime() / 1e9, facts);
    }

    private void same(Promise promise, String question, Object answer, Object right) {
        see(new RunFact.Answer(promise, "", question, answer.toString(), right.toString()));
    }

    void play() throws Exception {
        try (var threads =
                Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            var watching = List.<Future<?>>of(
                    threads.submit(this::follow),
                    threads.submit(this::sample),
                    threads.submit(this::closeRandomConnections));
            var writing = new ArrayList<Future<?>>();
            for (int i = 0; i < NAMES.size() * THREADS_EACH; i++) {
                var node = nodes.get(i % NAMES.size());
                var random = new Random(seed * 31 + i);
                writing.add(threads.submit(() -> {
                    for (int step = 0; step < STEPS; step++) step(node, random);
                }));
            }
            for (var one : writing) one.get(1, TimeUnit.MINUTES);
            over = true;
            for (var one : watching) one.get(1, TimeUnit.MINUTES);
        } finally {
            over = true;
        }
        endAll();
        checkInvariants();
    }

    private void step(Node node, Random random) {
        var ledger = node.ledger;
        switch (random.nextInt(10)) {
            case 0, 1 -> submit(ledger, random);
            case 2, 3 -> node.placer.place(CAPS);
            case 4 -> any(random).ifPresent(run -> begin(node, run));
            case 5 -> any(random).ifPresent(run -> finish(node, run, random));
            case 6 -> any(random).ifPresent(run -> takeOver(node, run, random));
            case 7 -> any(random).ifPresent(run -> ledger.requestStop(run, new StopReason.UserStop("operator")));
            case 8 -> any(random).ifPresent(run -> readIt(ledger, run));
            default -> acknowledge(ledger, random);
        }
    }

    private void submit(Ledger ledger, Random random) {
        var run = NewRunSamples.of(OWNERS.get(random.nextInt(OWNERS.size())), clock.now());
        var id = ledger.submit(run, CAPS).id();
        runs.add(id);
        see(new RunFact.Accepted(id.text()));
    }

    private Optional<RunId> any(Random random) {
        var all = List.copyOf(runs);
        if (all.isEmpty()) return Optional.empty();
        int recent = Math.max(0, all.size() - 12);
        return Optional.of(all.get(recent + random.nextInt(all.size() - recent)));
    }

    /** Repeats a read that failed because its connection was closed twice in a row. */
    private static RunRecord find(Ledger ledger, RunId run) {
        for (int i = 0; ; i++) {
            try {
                return ledger.runs()
                        .find(run)
                        .orElseThrow(() -> new AssertionError(run + " was acknowledged and is not there"));
            } catch (RuntimeException e) {
                if (i == 5) throw e;
            }
        }
    }

    private static boolean isOn(Node node, RunRecord run) {
        return run.status() == Status.RUNNING && run.latest().node().equals(Optional.of(node.name));
    }

    private void begin(Node node, RunId id) {
        var run = find(node.ledger, id);
        if (!isOn(node, run)) return;
        var process = new ProcessId(1, 1);
        node.ledger.recordStarted(id, run.latest().n(), new StartedProcesses(process, process, "boot", 1, 0));
        node.ledger.recordProgress(id, run.latest().n(), AttemptProgress.of(new StreamPosition(1, 2, 3)));
        node.ledger.recordPhase(id, run.latest().n(), Phase.WORKING, Optional.empty());
    }

    /** Ends a run on its node, and sometimes on a node that no longer has it. */
    private void finish(Node node, RunId id, Random random) {
        var run = find(node.ledger, id);
        boolean stale = random.nextInt(4) == 0;
        if (!isOn(node, run) && !stale) return;
        int attempt = stale && run.latest().n() > 1
                ? run.latest().n() - 1
                : run.latest().n();
        var how = random.nextInt(3) == 0 ? new RunEvent.Lost(Cause.PERCH_LOST, random.nextBoolean()) : SUCCESS;
        if (run.status() == Status.QUEUED) return; // a queued run cannot exit
        count(id, attempt, node.ledger.finish(id, attempt, end(how)));
    }

    private void takeOver(Node node, RunId id, Random random) {
        var run = find(node.ledger, id);
        if (run.status() != Status.RUNNING || isOn(node, run)) return;
        int attempt = run.latest().n();
        var how = new RunEvent.Lost(Cause.WORKER_LOST, random.nextInt(3) > 0);
        var from = run.latest().node().orElseThrow();
        count(id, attempt, node.ledger.finish(id, attempt, end(how), handle -> {
            StartScheduler.cancel(handle, from, id, attempt);
            return true;
        }));
    }

    private void count(RunId run, int attempt, boolean won) {
        if (won)
            finished.computeIfAbsent(run + " " + attempt, _ -> new AtomicInteger())
                    .incrementAndGet();
    }

    private AttemptEnd end(RunEvent how) {
        return new AttemptEnd(
                how,
                clock.now(),
                Evidence.none(),
                new AttemptResult(Optional.of("done"), 4),
                AttemptProgress.of(new StreamPosition(7, 9, 11)));
    }

    private void readIt(Ledger ledger, RunId id) {
        var run = find(ledger, id);
        int attempt = run.latest().n();
        if (!ledger.notices().markRead(id, attempt)) return;
        int times = readers.add(id + " " + attempt) ? 1 : 2;
        see(new RunFact.Amount(Promise.READING_DESTROYS_NOTHING, id.text(), "first reads", times, 1));
    }

    private void acknowledge(Ledger ledger, Random random) {
        var owner = OWNERS.get(random.nextInt(OWNERS.size()));
        List<Long> pending;
        try {
            pending = ledger.notices().pending(Optional.of(owner)).stream()
                    .limit(3)
                    .map(notice -> notice.id())
                    .toList();
        } catch (RuntimeException e) {
            return; // the connection was closed twice in a row
        }
        for (long id : ledger.notices().acknowledge(pending, Optional.of(owner)))
            see(new RunFact.Amount(
                    Promise.ONE_COMMIT, "notice " + id, "acknowledgements", acknowledged.add(id) ? 1 : 2, 1));
    }

    /** Follows the events as subscribers do: it reads each number once, and must miss none. */
    private void follow() {
        var events = nodes.getFirst().ledger.allEvents();
        long seen = 0;
        for (boolean last = false; !last; ) {
            last = over;
            try {
                var page = events.after(seen, Optional.empty(), 50);
                for (var one : page.events()) followed.add(one.event().seq());
                seen = page.upTo();
                if (last && seen < events.newest()) last = false;
            } catch (RuntimeException e) {
                last = false; // the connection was closed; continues at the same number
            }
        }
    }

    private void sample() {
        while (!over) {
            var all = beside.with(handle -> handle.select("""
                            SELECT 'owner ' || r.owner AS what FROM attempt_live a JOIN run r ON r.id = a.run_id
                             WHERE a.status = 'running' GROUP BY r.owner HAVING count(*) > ?
                            UNION ALL
                            SELECT 'node ' || node FROM attempt_live WHERE status = 'running' GROUP BY node HAVING count(*) > ?
                            UNION ALL
                            SELECT 'all' FROM attempt_live WHERE status = 'running' HAVING count(*) > ?
                            """, CAPS.perOwner(), OF_A_NODE, CAPS.machine())
                    .list(SqlConnection::text));
            same(Promise.BOUNDED, "where more run than may", all, List.of());
        }
    }

    /** Closes random connections in any state. */
    private void closeRandomConnections() {
        var random = new Random(seed);
        while (!over) {
            beside.use(handle -> cut(handle, random.nextDouble()));
            try {
                TimeUnit.MILLISECONDS.sleep(10 + random.nextInt(60)); // the delay is part of the schedule
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private static void cut(SqlConnection handle, double which) {
        var all = handle.select("""
                        SELECT pid FROM pg_stat_activity
                         WHERE datname = current_database() AND application_name LIKE 'roost %' ORDER BY pid
                        """).list(SqlConnection::count);
        if (!all.isEmpty()) handle.execute("SELECT pg_terminate_backend(?)", all.get((int) (which * all.size())));
    }

    private void endAll() {
        var ledger = nodes.getFirst().ledger;
        for (int i = 0; i < 5; i++) { // a lost run may be queued again
            for (var run : ledger.runs().list(RunQuery.of(RunQuery.StatusFilter.LIVE))) {
                ledger.requestStop(run.id(), new StopReason.UserStop("operator"));
                var now = find(ledger, run.id());
                if (now.status() == Status.RUNNING)
                    count(
                            run.id(),
                            now.latest().n(),
                            ledger.finish(run.id(), now.latest().n(), end(SUCCESS)));
            }
        }
    }

    private void checkInvariants() {
        same(Promise.NO_ROW_LIES, "still live", column("SELECT run_id FROM attempt_live"), List.of());
        see(new RunFact.Listed(Set.copyOf(column("SELECT id FROM run")), true));
        for (var notices : column("""
                        SELECT r.id || ' ' || r.attempt || ' ' || count(n.id)
                          FROM run r LEFT JOIN notice n ON n.run_id = r.id AND n.kind = 'ended' GROUP BY r.id, r.attempt
                        """)) {
            var words = notices.split(" ", -1);
            see(new RunFact.Notified(words[0], Integer.parseInt(words[1]), Long.parseLong(words[2]), true));
        }
        same(Promise.FIRST_END_WINS, "attempts with two ends", column("""
                        SELECT run_id || ' ' || attempt FROM event WHERE kind = 'ended' GROUP BY run_id, attempt HAVING count(*) > 1
                        """), List.of());
        same(Promise.ONE_TRUTH, "gaps between attempts", column("""
                        SELECT r.id FROM run r JOIN attempt a ON a.run_id = r.id GROUP BY r.id, r.attempt
                        HAVING count(*) <> r.attempt OR max(a.n) <> r.attempt
                        """), List.of());
        finished.forEach((attempt, times) ->
                see(new RunFact.Amount(Promise.FIRST_END_WINS, attempt, "acknowledged ends", times.get(), 1, 1)));
        durable("ends", finished.keySet(), "SELECT run_id || ' ' || n FROM attempt_ended");
        durable("reads", readers, "SELECT run_id || ' ' || n FROM attempt_ended WHERE read_at IS NOT NULL");
        durable(
                "acknowledgements",
                acknowledged.stream().map(String::valueOf).toList(),
                "SELECT id::text FROM notice WHERE acked_at IS NOT NULL");
        var last = followed.isEmpty() ? 0 : followed.getLast();
        var events = column("SELECT seq::text FROM event WHERE seq <= %d ORDER BY event.seq".formatted(last));
        same(Promise.ONE_TRUTH, "events seen by the subscriber", followed, events);
        assertThat(followed.size()).isGreaterThan(100);
        var unused = column("SELECT last - (SELECT count(*) FROM event) FROM happened");
        same(Promise.ONE_TRUTH, "unused event numbers", unused, List.of("0"));
    }

    /** What was confirmed to a client is in the ledger. */
    private void durable(String what, Collection<String> confirmed, String sql) {
        var missing = new TreeSet<>(confirmed);
        missing.removeAll(column(sql));
        same(Promise.ACCEPTED_IS_DURABLE, "confirmed " + what + " that are missing", missing, List.of());
    }

    private List<String> column(String sql) {
        return beside.with(handle -> handle.select(sql).list(SqlConnection::text));
    }

    @Override
    public void close() {
        over = true;
        nodes.forEach(node -> {
            node.ledger.close();
            node.lease.close();
        });
    }
}
