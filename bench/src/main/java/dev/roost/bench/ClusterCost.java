package dev.roost.bench;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.roost.Led;
import dev.roost.Wish;
import dev.roost.agents.Task;
import dev.roost.cluster.Cluster;
import dev.roost.cluster.Member;
import dev.roost.ledger.Began;
import dev.roost.ledger.End;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.NewRun;
import dev.roost.ledger.Position;
import dev.roost.ledger.Progress;
import dev.roost.ledger.Result;
import dev.roost.ledger.Run;
import dev.roost.ledger.SqliteLedger;
import dev.roost.run.Budget;
import dev.roost.run.Caps;
import dev.roost.run.Evidence;
import dev.roost.run.Outcome;
import dev.roost.run.Owner;
import dev.roost.run.ProcessId;
import dev.roost.run.RunEvent;
import dev.roost.run.RunId;
import dev.roost.supervisor.Home;
import dev.roost.supervisor.SystemClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The engine without processes: from the wish to the committed end, with as many at once as there are callers. Bare
 * db-scheduler, which keeps neither states nor notices, and the embedded ledger are measured beside it, one after another.
 */
final class ClusterCost {

    private static final int RUNS = 4_000;
    private static final int WARM = 1_000;
    private static final int CALLERS = 64;
    private static final Caps CAPS = new Caps(100_000, 100_000, Caps.Overflow.QUEUE);

    /** Loggers are only weakly held by their manager. */
    private static final List<Logger> QUIET = List.of(
            Logger.getLogger("org.flywaydb"),
            Logger.getLogger("com.github.kagkarlsson"),
            Logger.getLogger("com.zaxxer"));

    private final String address;
    private final Path scratch;
    private final SystemClock clock = new SystemClock();
    private final Map<RunId, CompletableFuture<Void>> ends = new ConcurrentHashMap<>();

    private ClusterCost(String address, Path scratch) {
        this.address = address;
        this.scratch = scratch;
    }

    static Map<String, String> measure(String address, Path scratch) {
        QUIET.forEach(logger -> logger.setLevel(Level.WARNING));
        var figures = new LinkedHashMap<String, String>();
        var cost = new ClusterCost(address, scratch);
        figures.put("db-scheduler alone", cost.bare());
        figures.put("embedded ledger", cost.embedded());
        figures.put("cluster of one node", cost.nodes(1));
        figures.put("cluster of three nodes", cost.nodes(3));
        return figures;
    }

    private String bare() {
        var config = new HikariConfig();
        config.setJdbcUrl("jdbc:" + address);
        config.setMaximumPoolSize(16);
        var waiting = new ConcurrentHashMap<String, CompletableFuture<Void>>();
        var task = Tasks.oneTime("bare")
                .execute((instance, _) ->
                        Objects.requireNonNull(waiting.remove(instance.getId())).complete(null));
        try (var source = new HikariDataSource(config)) {
            var scheduler = Scheduler.create(source, task)
                    .threads(16)
                    .pollUsingLockAndFetch(0.5, 4)
                    .pollingInterval(Duration.ofSeconds(1))
                    .enableImmediateExecution()
                    .build();
            scheduler.start();
            try {
                return rate(i -> {
                    String id = "bare-" + i + "-" + System.nanoTime();
                    var end = new CompletableFuture<Void>();
                    waiting.put(id, end);
                    scheduler.schedule(task.instance(id), Instant.now());
                    scheduler.triggerCheckForDueExecutions();
                    end.join();
                });
            } finally {
                scheduler.stop();
            }
        }
    }

    private String embedded() {
        try (var ledger = SqliteLedger.open(scratch.resolve("engine.db"), clock)) {
            return rate(i -> {
                var run = aRun(i);
                var end = expect(run.id());
                ledger.submit(run, CAPS);
                ledger.claimNext(CAPS).ifPresent(claimed -> play(ledger, claimed));
                end.join();
            });
        }
    }

    private String nodes(int count) {
        var clusters = new ArrayList<Cluster>();
        try {
            for (int n = 1; n <= count; n++) {
                var name = "bench-%d-%d".formatted(count, n);
                var member = new Member(
                        name,
                        name,
                        "bench",
                        Set.of("agent:command", "dir:/", "node:" + name),
                        100_000,
                        100_000,
                        Member.Leases.DEFAULT);
                var cluster = Cluster.open(address, member, Home.open(scratch.resolve(name)), clock);
                clusters.add(cluster);
                cluster.join(new Playing(cluster));
            }
            return rate(i -> {
                var cluster = clusters.get(i % clusters.size());
                var run = aRun(i);
                var end = expect(run.id());
                cluster.order(run.id(), 1, aWish(cluster.self()));
                cluster.ledger().submit(run, CAPS);
                cluster.claimNext(cluster.ledger(), CAPS);
                end.join();
            });
        } finally {
            clusters.forEach(cluster -> {
                cluster.close();
                cluster.ledger().close();
            });
        }
    }

    private CompletableFuture<Void> expect(RunId run) {
        var end = new CompletableFuture<Void>();
        ends.put(run, end);
        return end;
    }

    /** Begun and ended at once: what an attempt writes at least. */
    private void play(Ledger ledger, Run run) {
        var none = new ProcessId(1, 1);
        ledger.began(run.id(), run.latest().n(), new Began(none, none, "bench", 0, 0));
        ledger.finish(
                run.id(),
                run.latest().n(),
                new End(
                        new RunEvent.Exited(new Outcome.CompletedEmpty()),
                        clock.now(),
                        Evidence.none(),
                        Result.none(),
                        Progress.of(Position.START)));
        Objects.requireNonNull(ends.remove(run.id())).complete(null);
    }

    /** Leads nothing: what it is given, it ends. */
    private final class Playing implements Led {

        private final Cluster cluster;

        Playing(Cluster cluster) {
            this.cluster = cluster;
        }

        @Override
        public void begin(RunId run) {
            play(cluster.ledger(), cluster.ledger().find(run).orElseThrow());
        }

        @Override
        public void look(Collection<RunId> runs) {}

        @Override
        public void letGoOfLost() {}

        @Override
        public void moveAway() {}

        @Override
        public void fill() {
            cluster.claimNext(cluster.ledger(), CAPS);
        }

        @Override
        public int count() {
            return 0;
        }

        @Override
        public void takeOver(Run run, Loss loss, Predicate<End> finish) {}
    }

    private NewRun aRun(int i) {
        return new NewRun(
                RunId.create(clock.now()),
                Optional.empty(),
                new Owner("bench:" + i % 20),
                "command",
                "command",
                "{}",
                "bench",
                Path.of("/"),
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                false,
                1,
                Optional.empty());
    }

    private static Wish aWish(String node) {
        return new Wish(
                "command",
                new Task(List.of("true"), Optional.empty()),
                Path.of("/"),
                Map.of("PATH", "/usr/bin:/bin"),
                "022",
                Optional.empty(),
                false,
                node,
                Set.of(),
                Optional.empty(),
                Optional.empty());
    }

    private static String rate(Consumer<Integer> one) {
        all(WARM, one, new double[WARM]);
        var times = new double[RUNS];
        long began = System.nanoTime();
        all(RUNS, one, times);
        double seconds = (System.nanoTime() - began) / 1e9;
        Arrays.sort(times);
        return "%5.0f runs/s, from wish to end p50 %.0f ms, p99 %.0f ms"
                .formatted(RUNS / seconds, times[RUNS / 2], times[RUNS * 99 / 100]);
    }

    private static void all(int count, Consumer<Integer> one, double[] times) {
        var next = new AtomicInteger();
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int caller = 0; caller < CALLERS; caller++) {
                callers.execute(() -> {
                    for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
                        long before = System.nanoTime();
                        one.accept(i);
                        times[i] = (System.nanoTime() - before) / 1e6;
                    }
                });
            }
        }
    }
}
