package dev.roost.bench.system;

import dev.roost.agents.Task;
import dev.roost.base.Clock;
import dev.roost.base.CoalescingTask;
import dev.roost.cluster.NodeIdentity;
import dev.roost.cluster.PostgresCluster;
import dev.roost.home.Home;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.SqliteLedger;
import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.NewRun;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.model.Budget;
import dev.roost.model.Caps;
import dev.roost.model.Evidence;
import dev.roost.model.Outcome;
import dev.roost.model.Owner;
import dev.roost.model.ProcessId;
import dev.roost.model.RunEvent;
import dev.roost.model.RunId;
import dev.roost.node.AttemptControl;
import dev.roost.node.AttemptOrder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The engine without processes: runs end as soon as they have started. */
public final class ProcesslessEngine implements AutoCloseable {

    private static final int MANY = 100_000;
    private static final int AT_ONCE = 64;
    private static final int OWNERS = 20;
    private static final Path PLACE = Path.of("/");
    private static final Caps CAPS = new Caps(MANY, MANY, Caps.Overflow.QUEUE);

    private final Clock clock;
    private final List<Runnable> closing = new ArrayList<>();
    private final List<Submit> doors = new ArrayList<>();
    private final Map<RunId, CompletableFuture<Void>> ends = new ConcurrentHashMap<>();

    private interface Submit {
        void submit(NewRun run) throws IOException;
    }

    private ProcesslessEngine(Clock clock) {
        this.clock = clock;
    }

    public static ProcesslessEngine embedded(Path scratch, Clock clock) {
        var processlessEngine = new ProcesslessEngine(clock);
        var ledger = SqliteLedger.open(scratch.resolve("engine.db"), clock);
        processlessEngine.closing.add(ledger::close);
        var filling = new CoalescingTask(); // as a daemon places its runs
        processlessEngine.doors.add(run -> {
            ledger.submit(run, CAPS);
            filling.soon(() -> {
                for (var claimed = ledger.claim(CAPS, AT_ONCE);
                        !claimed.isEmpty();
                        claimed = ledger.claim(CAPS, AT_ONCE))
                    for (var one : claimed) Thread.startVirtualThread(() -> processlessEngine.play(ledger, one));
            });
        });
        return processlessEngine;
    }

    /** Nodes in this process. Runs are submitted to each in turn, and start on the node of their placement. */
    public static ProcesslessEngine cluster(String address, Path scratch, Clock clock, int nodes) {
        var processlessEngine = new ProcesslessEngine(clock);
        for (int n = 1; n <= nodes; n++)
            processlessEngine.join(address, scratch, "engine-%d-of-%d".formatted(n, nodes));
        return processlessEngine;
    }

    private void join(String address, Path scratch, String name) {
        var labels = Set.of("agent:command", "dir:" + PLACE, "node:" + name);
        var identity = new NodeIdentity(name, name, "bench", labels, MANY, MANY, NodeIdentity.LeaseTimes.DEFAULT);
        var cluster = PostgresCluster.open(address, identity, Home.open(scratch.resolve(name)), clock);
        closing.add(() -> {
            cluster.close();
            cluster.ledger().close();
        });
        cluster.join(new InstantAttempts(cluster));
        var filling = new CoalescingTask();
        doors.add(run -> {
            cluster.roles().orders().put(run.id(), 1, aWish(cluster.self()), () -> {
                throw new IllegalStateException("another node makes the job");
            });
            cluster.ledger().submit(run, CAPS);
            filling.soon(() -> cluster.claim(CAPS, MANY));
        });
    }

    public void run(int number) throws Exception {
        var run = newRun(clock, "bench:" + number % OWNERS);
        var end = new CompletableFuture<Void>();
        ends.put(run.id(), end);
        doors.get(number % doors.size()).submit(run);
        end.get(60, TimeUnit.SECONDS);
    }

    /** Starts and ends the attempt: the minimum that an attempt writes. */
    private void play(Ledger ledger, RunRecord run) {
        var none = new ProcessId(1, 1);
        ledger.recordStarted(run.id(), run.latest().n(), new StartedProcesses(none, none, "bench", 0, 0));
        ledger.finish(run.id(), run.latest().n(), end(clock));
        Objects.requireNonNull(ends.remove(run.id())).complete(null);
    }

    /** Supervises nothing: ends each run at once. */
    private final class InstantAttempts implements AttemptControl {

        private final PostgresCluster cluster;

        InstantAttempts(PostgresCluster cluster) {
            this.cluster = cluster;
        }

        @Override
        public void start(RunId run) {
            play(cluster.ledger(), cluster.ledger().runs().find(run).orElseThrow());
        }

        @Override
        public void refresh(Collection<RunId> runs) {}

        @Override
        public void releaseForeign() {}

        @Override
        public void drain() {}

        @Override
        public void killForeign() {}

        @Override
        public int count() {
            return 0;
        }

        @Override
        public void takeOver(RunRecord run, LostNode loss, Predicate<AttemptEnd> finish) {}
    }

    public static NewRun newRun(Clock clock, String owner) {
        return new NewRun(
                RunId.create(clock.now()),
                Optional.empty(),
                new Owner(owner),
                "command",
                "command",
                "{}",
                "bench",
                PLACE,
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                false,
                1,
                Optional.empty());
    }

    /** The end of an attempt that did nothing. */
    public static AttemptEnd end(Clock clock) {
        return new AttemptEnd(
                new RunEvent.Exited(new Outcome.CompletedEmpty()),
                clock.now(),
                Evidence.none(),
                AttemptResult.none(),
                AttemptProgress.of(StreamPosition.START));
    }

    private static AttemptOrder aWish(String node) {
        return new AttemptOrder(
                "command",
                new Task(List.of("true"), Optional.empty()),
                PLACE,
                Map.of("PATH", "/usr/bin:/bin"),
                "022",
                Optional.empty(),
                false,
                node,
                Set.of(),
                Optional.empty(),
                Optional.empty());
    }

    @Override
    public void close() {
        closing.forEach(Runnable::run);
    }
}
