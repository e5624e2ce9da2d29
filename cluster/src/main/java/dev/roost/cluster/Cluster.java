package dev.roost.cluster;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.roost.house.Led;
import dev.roost.house.Nodes;
import dev.roost.house.OnceMore;
import dev.roost.house.Peers;
import dev.roost.house.TokenKey;
import dev.roost.house.Wish;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.Position;
import dev.roost.ledger.Run;
import dev.roost.run.Caps;
import dev.roost.run.Clock;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import dev.roost.shelf.ShelfName;
import dev.roost.supervisor.HeardFile;
import dev.roost.supervisor.Home;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** This node among the others. */
public final class Cluster implements Peers {

    private static final System.Logger LOG = System.getLogger(Cluster.class.getName());

    private static final int CONNECTIONS = 6;

    /** What is this machine's own, and how often what its runs would take along is put where others find it. */
    public record Habits(Map<String, String> machine, Duration packEvery) {

        public static final Habits USUAL = new Habits(System.getenv(), Duration.ofSeconds(30));
    }

    private final Repositories repositories;
    private final Habits habits;
    private final Member member;
    private final Home home;
    private final Clock clock;
    private final Ledger ledger;
    private final HikariDataSource source;
    private final Address address;
    private final Lease lease;
    private final Placing placing;
    private final OnceMore giving = new OnceMore();
    private final Orders orders;
    private final TokenKeys keys;
    private final Places places;
    private final SharedFiles files;
    private @Nullable Starts starts;
    private @Nullable Hearing hearing;
    private @Nullable Beat beat;
    private volatile boolean expelled; // a copy of this home has its name: nothing is ours any more

    private Cluster(
            Address address,
            Postgres store,
            Member member,
            Repositories repositories,
            Home home,
            Clock clock,
            Habits habits) {
        this.repositories = repositories;
        this.habits = habits;
        this.address = address;
        this.member = member;
        this.home = home;
        this.clock = clock;
        this.ledger = new Ledger(store, clock);
        var config = new HikariConfig();
        config.setDataSource(address.source("roost %s beside".formatted(member.name()), Postgres.MOST_IDLE_MILLIS));
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(5_000);
        config.setPoolName("roost");
        this.source = new HikariDataSource(config);
        this.lease = new Lease(
                new Database(address.impatient(
                        "roost %s lives".formatted(member.name()),
                        member.leases().lease())),
                member);
        this.placing = new Placing(ledger, clock, member.name());
        this.orders = new Orders(ledger, store.given());
        this.keys = new TokenKeys(ledger, new Database(source));
        this.places = new Places(member.name(), this::nodes);
        this.files = new SharedFiles(new PostgresShelf(source), home, ledger, member.name(), clock);
    }

    /** Takes part in the cluster whose ledger is at {@code address}; its runs come when it has {@link #join}ed. */
    public static Cluster open(String address, Member member, Home home, Clock clock) {
        return open(address, member, home, clock, Habits.USUAL);
    }

    /** The same with other habits. Its directories that are checkouts are offered as repositories, too. */
    public static Cluster open(String address, Member given, Home home, Clock clock, Habits habits) {
        var parsed = Address.parse(address);
        var repositories = Repositories.in(given.directories());
        var member = given.with(repositories.labels());
        var cluster =
                new Cluster(parsed, Postgres.store(parsed, member.name()), member, repositories, home, clock, habits);
        try {
            cluster.lease.join();
            cluster.begin();
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            cluster.ledger.close();
            throw e;
        }
    }

    private void begin() {
        var file = new HeardFile(home);
        beat = new Beat(lease, member, ledger, new Beat.Fate() {
            @Override
            public long now() {
                return HeardFile.now();
            }

            @Override
            public void heard(long at) {
                file.write(at);
            }

            @Override
            public void expelled() {
                expelled = true;
            }
        });
    }

    public Ledger ledger() {
        return ledger;
    }

    /** All nodes, by name. */
    public List<Node> nodes() {
        return ledger.read(Lease::all);
    }

    @Override
    public boolean any() {
        return true;
    }

    @Override
    public String self() {
        return member.name();
    }

    @Override
    public boolean isOurs(Run run) {
        return !expelled && run.latest().node().equals(Optional.of(member.name()));
    }

    @Override
    public boolean isWaiting(RunId run) {
        return ledger.read(handle -> Starts.isWaiting(handle, member.name(), run));
    }

    @Override
    public Optional<TokenKey> tokenKey() {
        return Optional.of(keys.current());
    }

    @Override
    public int rotateTokenKey() {
        return keys.rotate();
    }

    @Override
    public boolean reach(Path directory) {
        return places.reach(directory);
    }

    @Override
    public Caps caps(Caps own) {
        return new Caps(own.perOwner(), member.clusterLive(), own.overflow());
    }

    /** Gives out whatever can be given out; what is ours comes back by db-scheduler, as it does to the others. */
    @Override
    public List<Run> claim(Ledger same, Caps caps, int most) {
        giving.soon(() -> place(caps));
        return List.of();
    }

    @Override
    public void giveOut(Caps caps) {
        giving.now(() -> place(caps));
    }

    private void place(Caps caps) {
        if (!placing.worthwhile()) return;
        var placed = placing.place(caps(caps));
        var start = starts;
        if (start != null && placed.stream().anyMatch(one -> one.node().equals(member.name()))) start.look();
    }

    @Override
    public void order(RunId run, int attempt, Wish wish) {
        orders.put(run, attempt, places.needs(wish), wish);
    }

    @Override
    public void dropped(RunId run, int attempt) {
        orders.dropped(run, attempt);
    }

    @Override
    public Optional<Wish> ordered(RunId run, int attempt) {
        return orders.get(run, attempt);
    }

    @Override
    public boolean haveRepositories() {
        return nodes().stream()
                .flatMap(node -> node.labels().stream())
                .anyMatch(label -> label.startsWith(Places.REPOSITORY));
    }

    @Override
    public Optional<Path> checkout(String key) {
        return repositories.checkout(key);
    }

    @Override
    public boolean couldDoWithout(String node, Wish wish) {
        return places.couldDoWithout(node, wish);
    }

    @Override
    public boolean isHeard(String node) {
        return nodes().stream().anyMatch(one -> one.name().equals(node) && one.live());
    }

    @Override
    public boolean isKnown(String node) {
        return nodes().stream().anyMatch(one -> one.name().equals(node));
    }

    @Override
    public Map<RunId, String> waits(Collection<Run> runs) {
        var queued = runs.stream()
                .filter(run -> run.status() == Status.QUEUED
                        && run.latest()
                                .parkedUntil()
                                .filter(clock.now()::isBefore)
                                .isEmpty())
                .toList();
        var elsewhere = runs.stream()
                .filter(run -> run.status() == Status.RUNNING && !isOurs(run))
                .toList();
        if (queued.isEmpty() && elsewhere.isEmpty()) return Map.of();
        return new Why(nodes()).of(queued, orders.needs(queued), elsewhere);
    }

    @Override
    public Map<String, String> machine() {
        return habits.machine();
    }

    @Override
    public Duration packEvery() {
        return habits.packEvery();
    }

    @Override
    public boolean stow(RunId run, int attempt, boolean ended, ShelfName name, InputStream luggage) throws IOException {
        return files.stow(run, attempt, ended, name, luggage);
    }

    @Override
    public Set<ShelfName> stowed(RunId run) {
        return files.stowed(run);
    }

    @Override
    public Optional<InputStream> unload(RunId run, ShelfName name) {
        return files.unload(run, name);
    }

    @Override
    public void lead(RunId run, int attempt, boolean ended, Position at) throws IOException {
        files.lead(run, attempt, ended, at);
    }

    @Override
    public void leave(RunId run) {
        files.leave(run);
    }

    @Override
    public void grew(RunId run) {
        files.grew(run);
    }

    @Override
    public boolean flush(RunId run, Duration within) {
        return files.flush(run, within);
    }

    @Override
    public void fetch(Run run, BooleanSupplier writes) throws IOException {
        files.fetch(run, writes);
    }

    @Override
    public void forgetPruned() {
        files.forgetPruned();
    }

    @Override
    public boolean couldGoElsewhere(Run run) {
        var needs = orders.needs(run.id(), run.latest().n());
        return nodes().stream()
                .anyMatch(node -> !node.name().equals(member.name())
                        && node.live()
                        && node.state() == Node.State.MEMBER
                        && node.maxLive() > 0
                        && node.missing(needs).isEmpty());
    }

    @Override
    public Nodes roster() {
        return new Roster(ledger, member, new Checkup(ledger, address, member, clock));
    }

    @Override
    public void join(Led led) {
        var start = new Starts(source, member.name(), member.leases().lease(), led);
        starts = start;
        hearing = new Hearing(
                address.source("roost %s hears".formatted(member.name()), 0), ledger, member.name(), led, start::look);
        if (beat != null) beat.lead(led);
    }

    private void leaveOthers() {
        try {
            if (beat != null) lease.leave();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "the database is away; others find out by the lease", e);
        }
    }

    @Override
    public void retire() {
        if (beat != null) beat.close();
        if (hearing != null) hearing.close();
        if (starts != null) starts.close();
        hearing = null;
        starts = null;
    }

    @Override
    public void close() {
        retire();
        leaveOthers();
        files.close();
        lease.close();
        source.close();
    }
}
