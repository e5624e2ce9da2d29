package dev.roost.daemon;

import dev.roost.base.Clock;
import dev.roost.cluster.migrate.LedgerMigration;
import dev.roost.config.EngineConfig;
import dev.roost.daemon.api.ProtocolUpgrade;
import dev.roost.daemon.config.DaemonSettings;
import dev.roost.daemon.config.ProjectFiles;
import dev.roost.daemon.delivery.DeliveryWorker;
import dev.roost.daemon.delivery.HeadlessWaker;
import dev.roost.daemon.delivery.OwnerEnvironments;
import dev.roost.daemon.hooks.HookConnection;
import dev.roost.daemon.hooks.HookService;
import dev.roost.daemon.mcp.AllowedAgents;
import dev.roost.daemon.mcp.McpConnection;
import dev.roost.daemon.mcp.McpServer;
import dev.roost.daemon.mcp.ToolOperations;
import dev.roost.daemon.rest.HttpEndpoint;
import dev.roost.daemon.sleep.SleepWatch;
import dev.roost.daemon.socket.DaemonInfo;
import dev.roost.daemon.socket.SocketServer;
import dev.roost.daemon.telemetry.Exporter;
import dev.roost.daemon.telemetry.MetricsRegistry;
import dev.roost.daemon.telemetry.TraceExporter;
import dev.roost.daemon.tokens.TokenService;
import dev.roost.daemon.web.PageRoutes;
import dev.roost.daemon.web.SignIn;
import dev.roost.home.Home;
import dev.roost.ledger.record.LedgerMetrics;
import dev.roost.node.NodeGuard;
import dev.roost.service.RoostService;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Serves one home on every surface. The caller of {@link #open} must hold the home's lock. */
public final class Daemon implements AutoCloseable {

    private final RoostService service;
    private final MetricsRegistry metrics;
    private final Optional<Exporter> traces;
    private final HttpEndpoint http;
    private final SocketServer socket;
    private final DeliveryWorker deliveryWorker;
    private final SleepWatch sleep;
    private final Optional<NodeGuard> guard;

    private Daemon(
            RoostService service,
            MetricsRegistry metrics,
            Optional<Exporter> traces,
            HttpEndpoint http,
            SocketServer socket,
            DeliveryWorker deliveryWorker,
            SleepWatch sleep,
            Optional<NodeGuard> guard) {
        this.service = service;
        this.metrics = metrics;
        this.traces = traces;
        this.http = http;
        this.socket = socket;
        this.deliveryWorker = deliveryWorker;
        this.sleep = sleep;
        this.guard = guard;
    }

    /** {@code shutdown} is called when a client asks the daemon to stop. */
    public static Daemon open(
            Home home, EngineConfig config, DaemonSettings settings, Clock clock, String version, Runnable shutdown) {
        var projects = new ProjectFiles(home.root(), config, System.getenv(), clock);
        var metrics = new MetricsRegistry();
        var traces = settings.telemetry().<Exporter>map(telemetry -> new TraceExporter(telemetry, metrics.spans()));
        var meters = new ArrayList<LedgerMetrics>(List.of(metrics.meters()));
        traces.ifPresent(meters::add);
        LedgerMigration.refuseIfMoved(home, settings.node().isPresent());
        var cluster = settings.node()
                .map(node -> ClusterStartup.cluster(node, home, config, clock, version, System.getenv()));
        // the previous daemon's guard stays until this daemon's lease is written
        var guard = cluster.map(joined -> ClusterStartup.guard(settings.node().orElseThrow(), home, joined));
        var channelConfig = config.with(settings.notifications().channels());
        var service = cluster.isEmpty()
                ? RoostService.open(home, channelConfig, projects, clock, LedgerMetrics.all(meters))
                : RoostService.open(
                        home,
                        channelConfig,
                        projects,
                        clock,
                        LedgerMetrics.all(meters),
                        cluster.get().ledger(),
                        cluster.get().roles());
        try {
            metrics.watch(service, home.root(), version, clock);
            traces.ifPresent(exporter -> exporter.start(service, home.root(), version));
            var environments = OwnerEnvironments.open(home, config.wakePolicy(), clock.now());
            var headlessWaker = new HeadlessWaker(service, home, environments, clock);
            service.sessions().onHeadlessWake(headlessWaker::wake);
            var agents = new AllowedAgents(service, settings.toolAgents());
            var operations = new ToolOperations(service, agents);
            var tokens = new TokenService(service, clock);
            var signIn = new SignIn(tokens, clock);
            var surfaces = new HttpEndpoint.RequestHandlers(
                    service,
                    tokens,
                    new McpServer(operations, version),
                    new HookService(service, clock::now, headlessWaker::hasStarted),
                    agents,
                    new PageRoutes(service, signIn, clock),
                    clock,
                    metrics);
            var http = HttpEndpoint.open(settings.http(), home.root(), surfaces);
            try {
                var info = new DaemonInfo(
                        home.root(), home.socket(), version, projects, tokens, signIn, http.address(), shutdown);
                var socket = SocketServer.open(service, info, upgrades(surfaces, environments));
                var deliveryWorker = DeliveryWorker.open(settings.notifications(), service, clock);
                var sleep = SleepWatch.open(service, settings.sleepSignals(), System.getenv());
                return new Daemon(service, metrics, traces, http, socket, deliveryWorker, sleep, guard);
            } catch (RuntimeException e) {
                http.close();
                throw e;
            }
        } catch (RuntimeException e) {
            service.close();
            throw e;
        }
    }

    /** The protocols to which a connection of the socket can be switched. */
    private static Map<String, ProtocolUpgrade> upgrades(
            HttpEndpoint.RequestHandlers surfaces, OwnerEnvironments environments) {
        var hooks = new HookConnection(surfaces.hooks());
        var mcp = new McpConnection(surfaces.service(), surfaces.mcp(), environments::remember);
        return Map.of("hook", hooks.hook(), "wake", hooks.wake(), "mcp", mcp);
    }

    public RoostService service() {
        return service;
    }

    @Override
    public void close() {
        sleep.close();
        socket.close();
        http.close();
        deliveryWorker.close();
        traces.ifPresent(Exporter::close);
        metrics.close();
        service.close();
        guard.ifPresent(NodeGuard::close);
    }
}
