package dev.roost.cluster;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.roost.base.Clock;
import dev.roost.cluster.db.ConnectionSource;
import dev.roost.cluster.db.DatabaseAddress;
import dev.roost.cluster.db.PostgresDatabase;
import dev.roost.cluster.files.NodeFiles;
import dev.roost.cluster.files.PostgresFileStore;
import dev.roost.home.Home;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Caps;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.node.AttemptControl;
import dev.roost.node.AttemptOrder;
import dev.roost.node.Cluster;
import dev.roost.node.LeaseSeenFile;
import dev.roost.node.Membership;
import dev.roost.node.NodeDirectory;
import dev.roost.node.RunPlacement;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** This node's part in a cluster with a shared ledger in PostgreSQL. */
public final class PostgresCluster implements Membership, RunPlacement {

    private static final System.Logger LOG = System.getLogger(PostgresCluster.class.getName());

    private static final int CONNECTIONS = 6;

    /** Settings of this machine: its environment, and how often the files that its runs need on another node are uploaded. */
    public record MachineSettings(Map<String, String> machine, Duration packEvery) {

        public static final MachineSettings USUAL = new MachineSettings(System.getenv(), Duration.ofSeconds(30));
    }

    private final LocalRepositories repositories;
    private final MachineSettings machineSettings;
    private final NodeIdentity identity;
    private final Clock clock;
    private final Ledger ledger;
    private final HikariDataSource source;
    private final DatabaseAddress address;
    private final Lease lease;
    private final RunPlacer placer;
    private final PostgresOrders orders;
    private final NodeRequirements requirements;
    private final NodeFiles files;
    private @Nullable StartScheduler scheduler;
    private @Nullable RemoteCommitListener commitListener;
    private @Nullable LeaseKeeper leaseKeeper;
    private volatile boolean expelled; // another daemon has this node's name, so this node owns nothing

    private PostgresCluster(
            DatabaseAddress address,
            PostgresDatabase store,
            NodeIdentity identity,
            LocalRepositories repositories,
            Home home,
            Clock clock,
            MachineSettings machineSettings) {
        this.repositories = repositories;
        this.machineSettings = machineSettings;
        this.address = address;
        this.identity = identity;
        this.clock = clock;
        this.ledger = new Ledger(store, clock);
        var config = new HikariConfig();
        config.setDataSource(
                address.source("roost %s beside".formatted(identity.name()), PostgresDatabase.MOST_IDLE_MILLIS));
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(5_000);
        config.setPoolName("roost");
        this.source = new HikariDataSource(config);
        this.lease = new Lease(
                new ConnectionSource(address.withTimeout(
                        "roost %s lives".formatted(identity.name()),
                        identity.leases().lease())),
                identity);
        this.placer = new RunPlacer(ledger, clock, identity.name());
        this.requirements = new NodeRequirements(identity.name(), this::nodes);
        this.orders = new PostgresOrders(ledger, store.given(), requirements);
        this.files = new NodeFiles(
                new PostgresFileStore(source), home, ledger, identity.name(), clock, machineSettings.packEvery());
    }

    /** Joins the cluster whose ledger is at {@code address}. The node is given no runs before {@link #join}. */
    public static PostgresCluster open(String address, NodeIdentity identity, Home home, Clock clock) {
        return open(address, identity, home, clock, MachineSettings.USUAL);
    }

    /** The same with other machine settings. Directories that are checkouts are also offered as repositories. */
    public static PostgresCluster open(
            String address, NodeIdentity withoutRepositories, Home home, Clock clock, MachineSettings machineSettings) {
        var parsed = DatabaseAddress.parse(address);
        var repositories = LocalRepositories.in(withoutRepositories.directories());
        var identity = withoutRepositories.with(repositories.labels());
        var cluster = new PostgresCluster(
                parsed,
                PostgresDatabase.store(parsed, identity.name()),
                identity,
                repositories,
                home,
                clock,
                machineSettings);
        try {
            cluster.lease.join();
            cluster.leaseKeeper = new LeaseKeeper(
                    cluster.lease, identity, cluster.ledger, new LeaseSeenFile(home), () -> cluster.expelled = true);
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            cluster.ledger.close();
            throw e;
        }
    }

    public Ledger ledger() {
        return ledger;
    }

    public Cluster roles() {
        return new Cluster(this, this, orders, files);
    }

    /** All nodes, by name. */
    public List<NodeRow> nodes() {
        return ledger.read(Lease::all);
    }

    @Override
    public String self() {
        return identity.name();
    }

    @Override
    public boolean owns(RunRecord run) {
        return !expelled && run.latest().node().equals(Optional.of(identity.name()));
    }

    @Override
    public boolean ran(AttemptRecord attempt) {
        return attempt.node().equals(Optional.of(identity.name()));
    }

    @Override
    public boolean holds(RunRecord run) {
        return run.holder().equals(Optional.of(identity.name()));
    }

    @Override
    public boolean isPendingStart(RunId run) {
        return ledger.read(handle -> StartScheduler.isPending(handle, identity.name(), run));
    }

    @Override
    public boolean isReachable(Path directory) {
        return requirements.isReachable(directory);
    }

    @Override
    public Caps caps(Caps own) {
        return new Caps(own.perOwner(), identity.clusterLive(), own.overflow());
    }

    /** The order store refuses an order that no node can execute. */
    @Override
    public void check(Set<String> tags, Runnable checkProgram) {}

    /** The node that starts the run chooses its directory. */
    @Override
    public RunPlace place(RunId run, Path cwd, boolean worktree, BiPredicate<Path, String> isShared) {
        var source = LocalRepositories.source(cwd, worktree, this::hasRepositories, isShared);
        return new RunPlace(cwd, Optional.empty(), source);
    }

    private boolean hasRepositories() {
        return nodes().stream()
                .flatMap(node -> node.labels().stream())
                .anyMatch(label -> label.startsWith(NodeRequirements.REPOSITORY));
    }

    /** Places queued runs on all nodes. This node receives its own through db-scheduler, as the other nodes do. */
    @Override
    public List<RunRecord> claim(Caps caps, int most) {
        if (!placer.hasWork()) return List.of();
        var placed = placer.place(caps(caps));
        var start = scheduler;
        if (start != null && placed.stream().anyMatch(one -> one.node().equals(identity.name()))) start.wake();
        return List.of();
    }

    @Override
    public Optional<Path> checkout(String key) {
        return repositories.checkout(key);
    }

    @Override
    public boolean canRunWithout(String node, AttemptOrder order, boolean now) {
        return requirements.canRunWithout(node, order, now);
    }

    @Override
    public boolean isAlive(String node) {
        return nodes().stream().anyMatch(one -> one.name().equals(node) && one.live());
    }

    @Override
    public boolean isKnown(String node) {
        return nodes().stream().anyMatch(one -> one.name().equals(node));
    }

    @Override
    public Map<RunId, String> waitReasons(Collection<RunRecord> runs) {
        var queued = runs.stream()
                .filter(run -> run.status() == Status.QUEUED
                        && run.latest()
                                .parkedUntil()
                                .filter(clock.now()::isBefore)
                                .isEmpty())
                .toList();
        var elsewhere = runs.stream()
                .filter(run -> run.status() == Status.RUNNING && !owns(run))
                .toList();
        if (queued.isEmpty() && elsewhere.isEmpty()) return Map.of();
        return new WaitReasons(nodes()).of(queued, orders.needs(queued), elsewhere);
    }

    @Override
    public Map<String, String> machineEnvironment() {
        return machineSettings.machine();
    }

    @Override
    public NodeDirectory directory() {
        return new NodeAdmin(ledger, identity, new ClusterDoctor(ledger, address, identity, clock));
    }

    @Override
    public void recover(AttemptControl attempts) throws IOException {
        attempts.killForeign();
    }

    @Override
    public void refresh(AttemptControl attempts, Collection<RunId> live) {
        attempts.refresh(live);
    }

    @Override
    public void join(AttemptControl attempts) {
        var start =
                new StartScheduler(source, identity.name(), identity.leases().lease(), attempts);
        scheduler = start;
        commitListener = new RemoteCommitListener(
                address.source("roost %s hears".formatted(identity.name()), 0),
                ledger,
                identity.name(),
                attempts,
                start::wake);
        if (leaseKeeper != null) leaseKeeper.startTakeovers(attempts);
    }

    private void releaseLease() {
        try {
            if (leaseKeeper != null) lease.release();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "the lease was not released, it will expire", e);
        }
    }

    @Override
    public void stopAccepting() {
        if (leaseKeeper != null) leaseKeeper.close();
        if (commitListener != null) commitListener.close();
        if (scheduler != null) scheduler.close();
        commitListener = null;
        scheduler = null;
    }

    @Override
    public void close() {
        stopAccepting();
        releaseLease();
        files.close();
        lease.close();
        source.close();
    }
}
