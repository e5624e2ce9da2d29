package dev.roost.daemon;

import dev.roost.base.Clock;
import dev.roost.cluster.migrate.LedgerMigration;
import dev.roost.config.EngineConfig;
import dev.roost.daemon.api.AllowedAgents;
import dev.roost.daemon.api.RunOperations;
import dev.roost.daemon.config.DaemonSettings;
import dev.roost.daemon.config.ProjectFiles;
import dev.roost.daemon.delivery.DeliveryWorker;
import dev.roost.daemon.delivery.HeadlessWaker;
import dev.roost.daemon.delivery.OwnerEnvironments;
import dev.roost.daemon.hooks.HookConnection;
import dev.roost.daemon.hooks.HookRoute;
import dev.roost.daemon.hooks.HookService;
import dev.roost.daemon.http.HttpEndpoint;
import dev.roost.daemon.http.HttpRoute;
import dev.roost.daemon.mcp.McpConnection;
import dev.roost.daemon.mcp.McpRoute;
import dev.roost.daemon.mcp.McpServer;
import dev.roost.daemon.mcp.ToolOperations;
import dev.roost.daemon.rest.MetricsRoute;
import dev.roost.daemon.rest.RestApi;
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
import dev.roost.service.RoostService;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/** Serves one home on every surface. The caller of {@link #open} must hold the home's lock. */
public final class Daemon implements AutoCloseable {

    private final RoostService service;
    /** The methods that close the parts, in their order. */
    private final Deque<Runnable> parts;

    private Daemon(RoostService service, Deque<Runnable> parts) {
        this.service = service;
        this.parts = parts;
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
        var parts = new ArrayDeque<Runnable>(List.of(service::close));
        try {
            metrics.watch(service, home.root(), version, clock);
            parts.addFirst(metrics::close);
            traces.ifPresent(exporter -> {
                exporter.start(service, home.root(), version);
                parts.addFirst(exporter::close);
            });
            var environments = OwnerEnvironments.open(home, config.wakePolicy(), clock.now());
            var headlessWaker = new HeadlessWaker(service, home, environments, clock);
            service.sessions().onHeadlessWake(headlessWaker::wake);
            var agents = new AllowedAgents(service, settings.toolAgents());
            var runs = new RunOperations(service, agents);
            var tokens = new TokenService(service, clock);
            var signIn = new SignIn(tokens, clock);
            var mcp = new McpServer(new ToolOperations(service, runs), version);
            var hooks = new HookService(service, clock::now, headlessWaker::hasStarted);
            var routes = List.<HttpRoute>of(
                    new MetricsRoute(metrics),
                    new McpRoute(service, mcp),
                    new RestApi(service, runs, agents, clock),
                    new PageRoutes(service, signIn, clock),
                    new HookRoute(hooks));
            var handlers = new HttpEndpoint.RequestHandlers(tokens, service::owner, routes, clock);
            var http = HttpEndpoint.open(settings.http(), home.root(), handlers);
            http.ifPresent(endpoint -> parts.addFirst(endpoint::close));
            var address = http.map(HttpEndpoint::address);
            var info = new DaemonInfo(home.root(), home.socket(), version, projects, tokens, signIn, address, shutdown);
            var hook = new HookConnection(hooks);
            var bridge = new McpConnection(service, mcp, environments::remember);
            var upgrades = Map.of("hook", hook.hook(), "wake", hook.wake(), "mcp", bridge);
            parts.addFirst(SocketServer.open(service, runs, info, upgrades)::close);
            parts.addFirst(
                    DeliveryWorker.open(settings.notifications(), service, clock)::close); // a command may call Roost
            parts.addFirst(SleepWatch.open(service, settings.sleepSignals(), System.getenv())::close);
        } catch (RuntimeException e) {
            parts.forEach(Runnable::run);
            throw e;
        }
        guard.ifPresent(one -> parts.addLast(one::close)); // it stays if the daemon cannot serve
        return new Daemon(service, parts);
    }

    public RoostService service() {
        return service;
    }

    @Override
    public void close() {
        parts.forEach(Runnable::run);
    }
}
