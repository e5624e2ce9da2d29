package dev.roost.bench;

import dev.roost.agents.Task;
import dev.roost.cluster.Cluster;
import dev.roost.cluster.Member;
import dev.roost.house.Led;
import dev.roost.house.OnceMore;
import dev.roost.house.Wish;
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
import dev.roost.run.Clock;
import dev.roost.run.Evidence;
import dev.roost.run.Outcome;
import dev.roost.run.Owner;
import dev.roost.run.ProcessId;
import dev.roost.run.RunEvent;
import dev.roost.run.RunId;
import dev.roost.supervisor.Home;
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

/** The engine without processes: runs that are ended as soon as they have begun. */
final class Engine implements AutoCloseable {

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
        void submit(NewRun run);
    }

    private Engine(Clock clock) {
        this.clock = clock;
    }

    static Engine embedded(Path scratch, Clock clock) {
        var engine = new Engine(clock);
        var ledger = SqliteLedger.open(scratch.resolve("engine.db"), clock);
        engine.closing.add(ledger::close);
        var filling = new OnceMore(); // as a daemon gives out its slots
        engine.doors.add(run -> {
            ledger.submit(run, CAPS);
            filling.soon(() -> {
                for (var claimed = ledger.claim(CAPS, AT_ONCE);
                        !claimed.isEmpty();
                        claimed = ledger.claim(CAPS, AT_ONCE))
                    for (var one : claimed) Thread.startVirtualThread(() -> engine.play(ledger, one));
            });
        });
        return engine;
    }

    /** Nodes in this process; runs are submitted to each of them in turn, and begin on whichever is chosen. */
    static Engine cluster(String address, Path scratch, Clock clock, int nodes) {
        var engine = new Engine(clock);
        for (int n = 1; n <= nodes; n++) engine.join(address, scratch, "engine-%d-of-%d".formatted(n, nodes));
        return engine;
    }

    private void join(String address, Path scratch, String name) {
        var labels = Set.of("agent:command", "dir:" + PLACE, "node:" + name);
        var member = new Member(name, name, "bench", labels, MANY, MANY, Member.Leases.DEFAULT);
        var cluster = Cluster.open(address, member, Home.open(scratch.resolve(name)), clock);
        closing.add(() -> {
            cluster.close();
            cluster.ledger().close();
        });
        cluster.join(new Playing(cluster));
        doors.add(run -> {
            cluster.order(run.id(), 1, aWish(cluster.self()));
            cluster.ledger().submit(run, CAPS);
            cluster.claim(cluster.ledger(), CAPS, MANY);
        });
    }

    void run(int number) throws Exception {
        var run = aRun(number);
        var end = new CompletableFuture<Void>();
        ends.put(run.id(), end);
        doors.get(number % doors.size()).submit(run);
        end.get(60, TimeUnit.SECONDS);
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
            play(cluster.ledger(), cluster.ledger().runs().find(run).orElseThrow());
        }

        @Override
        public void look(Collection<RunId> runs) {}

        @Override
        public void letGoOfLost() {}

        @Override
        public void moveAway() {}

        @Override
        public void fill() {
            cluster.claim(cluster.ledger(), CAPS, MANY);
        }

        @Override
        public int count() {
            return 0;
        }

        @Override
        public void takeOver(Run run, Loss loss, Predicate<End> finish) {}
    }

    private NewRun aRun(int number) {
        return new NewRun(
                RunId.create(clock.now()),
                Optional.empty(),
                new Owner("bench:" + number % OWNERS),
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

    private static Wish aWish(String node) {
        return new Wish(
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
