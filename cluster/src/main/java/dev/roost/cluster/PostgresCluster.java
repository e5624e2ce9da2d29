package dev.roost.cluster;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.roost.base.Clock;
import dev.roost.base.CoalescingTask;
import dev.roost.cluster.db.ConnectionSource;
import dev.roost.cluster.db.DatabaseAddress;
import dev.roost.cluster.db.PostgresDatabase;
import dev.roost.cluster.files.NodeFiles;
import dev.roost.cluster.files.PostgresFileStore;
import dev.roost.home.Home;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.model.Caps;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.node.AttemptControl;
import dev.roost.node.AttemptOrder;
import dev.roost.node.Cluster;
import dev.roost.node.LeaseSeenFile;
import dev.roost.node.NodeDirectory;
import dev.roost.sharedfiles.SharedFileName;
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

/** This node's part in a cluster with a shared ledger in PostgreSQL. */
public final class PostgresCluster implements Cluster {

    private static final System.Logger LOG = System.getLogger(PostgresCluster.class.getName());

    private static final int CONNECTIONS = 6;

    /** Settings of this machine: its environment, and how often the files that its runs need on another node are uploaded. */
    public record MachineSettings(Map<String, String> machine, Duration packEvery) {

        public static final MachineSettings USUAL = new MachineSettings(System.getenv(), Duration.ofSeconds(30));
    }

    private final LocalRepositories repositories;
    private final MachineSettings machineSettings;
    private final NodeIdentity identity;
    private final Home home;
    private final Clock clock;
    private final Ledger ledger;
    private final HikariDataSource source;
    private final DatabaseAddress address;
    private final Lease lease;
    private final RunPlacer placer;
    private final CoalescingTask placeTask = new CoalescingTask();
    private final OrderStore orders;
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
        this.home = home;
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
        this.orders = new OrderStore(ledger, store.given());
        this.requirements = new NodeRequirements(identity.name(), this::nodes);
        this.files = new NodeFiles(new PostgresFileStore(source), home, ledger, identity.name(), clock);
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
            cluster.begin();
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            cluster.ledger.close();
            throw e;
        }
    }

    private void begin() {
        var file = new LeaseSeenFile(home);
        leaseKeeper = new LeaseKeeper(lease, identity, ledger, new LeaseKeeper.LeaseListener() {
            @Override
            public long now() {
                return LeaseSeenFile.now();
            }

            @Override
            public void leaseRenewed(long at) {
                file.write(at);
            }

            @Override
            public void nameTaken() {
                expelled = true;
            }
        });
    }

    public Ledger ledger() {
        return ledger;
    }

    /** All nodes, by name. */
    public List<NodeRow> nodes() {
        return ledger.read(Lease::all);
    }

    @Override
    public boolean isClustered() {
        return true;
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

    /** Places queued runs on all nodes. This node receives its own through db-scheduler, as the other nodes do. */
    @Override
    public List<RunRecord> claim(Ledger same, Caps caps, int most) {
        placeTask.soon(() -> place(caps));
        return List.of();
    }

    @Override
    public void placeQueued(Caps caps) {
        placeTask.now(() -> place(caps));
    }

    private void place(Caps caps) {
        if (!placer.hasWork()) return;
        var placed = placer.place(caps(caps));
        var start = scheduler;
        if (start != null && placed.stream().anyMatch(one -> one.node().equals(identity.name()))) start.wake();
    }

    @Override
    public void putOrder(RunId run, int attempt, AttemptOrder order) {
        orders.put(run, attempt, requirements.needs(order), order);
    }

    @Override
    public void discardOrder(RunId run, int attempt) {
        orders.discard(run, attempt);
    }

    @Override
    public Optional<AttemptOrder> getOrder(RunId run, int attempt) {
        return orders.get(run, attempt);
    }

    @Override
    public boolean otherNodesHaveRepositories() {
        return nodes().stream()
                .flatMap(node -> node.labels().stream())
                .anyMatch(label -> label.startsWith(NodeRequirements.REPOSITORY));
    }

    @Override
    public Optional<Path> checkout(String key) {
        return repositories.checkout(key);
    }

    @Override
    public boolean canRunWithout(String node, AttemptOrder order) {
        return requirements.canRunWithout(node, order);
    }

    @Override
    public boolean isNodeAlive(String node) {
        return nodes().stream().anyMatch(one -> one.name().equals(node) && one.live());
    }

    @Override
    public boolean isNodeKnown(String node) {
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
    public Duration uploadInterval() {
        return machineSettings.packEvery();
    }

    @Override
    public boolean upload(RunId run, int attempt, boolean ended, SharedFileName name, InputStream luggage)
            throws IOException {
        return files.upload(run, attempt, ended, name, luggage);
    }

    @Override
    public Set<SharedFileName> uploaded(RunId run) {
        return files.uploaded(run);
    }

    @Override
    public Optional<InputStream> download(RunId run, SharedFileName name) {
        return files.download(run, name);
    }

    @Override
    public void becomeWriter(RunId run, int attempt, boolean ended, StreamPosition at) throws IOException {
        files.becomeWriter(run, attempt, ended, at);
    }

    @Override
    public void stopWriting(RunId run) {
        files.stopWriting(run);
    }

    @Override
    public void outputGrew(RunId run) {
        files.outputGrew(run);
    }

    @Override
    public boolean flush(RunId run, Duration within) {
        return files.flush(run, within);
    }

    @Override
    public void fetch(RunRecord run, BooleanSupplier writes) throws IOException {
        files.fetch(run, writes);
    }

    @Override
    public void deletePrunedFiles() {
        files.deletePrunedFiles();
    }

    @Override
    public boolean canRelocate(RunRecord run) {
        var needs = orders.needs(run.id(), run.latest().n());
        return nodes().stream()
                .anyMatch(node -> !node.name().equals(identity.name())
                        && node.live()
                        && node.state() == NodeRow.State.MEMBER
                        && node.maxLive() > 0
                        && node.missing(needs).isEmpty());
    }

    @Override
    public NodeDirectory nodeDirectory() {
        return new NodeAdmin(ledger, identity, new ClusterDoctor(ledger, address, identity, clock));
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
