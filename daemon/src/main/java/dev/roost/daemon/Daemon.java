package dev.roost.daemon;

import dev.roost.cluster.LedgerMove;
import dev.roost.daemon.config.ProjectFiles;
import dev.roost.daemon.config.SurfaceSettings;
import dev.roost.daemon.hooks.HookConversation;
import dev.roost.daemon.hooks.Hooks;
import dev.roost.daemon.http.HttpListener;
import dev.roost.daemon.mcp.McpConversation;
import dev.roost.daemon.mcp.McpServer;
import dev.roost.daemon.mcp.Operations;
import dev.roost.daemon.mcp.ToolAgents;
import dev.roost.daemon.meters.Exporter;
import dev.roost.daemon.meters.Instruments;
import dev.roost.daemon.outward.Courier;
import dev.roost.daemon.outward.Headless;
import dev.roost.daemon.outward.OwnerEnvironments;
import dev.roost.daemon.sleep.SleepWatch;
import dev.roost.daemon.socket.DaemonFacts;
import dev.roost.daemon.socket.SocketServer;
import dev.roost.daemon.tokens.Mint;
import dev.roost.daemon.traces.Traces;
import dev.roost.daemon.web.SignIn;
import dev.roost.daemon.web.Site;
import dev.roost.daemon.wire.Upgrade;
import dev.roost.house.Config;
import dev.roost.house.House;
import dev.roost.ledger.Meters;
import dev.roost.run.Clock;
import dev.roost.supervisor.Guard;
import dev.roost.supervisor.Home;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A home served to every surface. Whoever opens it holds the home's lock. */
public final class Daemon implements AutoCloseable {

    private final House house;
    private final Instruments instruments;
    private final Optional<Exporter> traces;
    private final HttpListener http;
    private final SocketServer socket;
    private final Courier courier;
    private final SleepWatch sleep;
    private final Optional<Guard> guard;

    private Daemon(
            House house,
            Instruments instruments,
            Optional<Exporter> traces,
            HttpListener http,
            SocketServer socket,
            Courier courier,
            SleepWatch sleep,
            Optional<Guard> guard) {
        this.house = house;
        this.instruments = instruments;
        this.traces = traces;
        this.http = http;
        this.socket = socket;
        this.courier = courier;
        this.sleep = sleep;
        this.guard = guard;
    }

    /** {@code shutdown} is called when a client asks the daemon to stop. */
    public static Daemon open(
            Home home, Config config, SurfaceSettings settings, Clock clock, String version, Runnable shutdown) {
        var projects = new ProjectFiles(home.root(), config, System.getenv(), clock);
        var instruments = new Instruments();
        var traces = settings.telemetry().<Exporter>map(wanted -> new Traces(wanted, instruments.spans()));
        var meters = new ArrayList<Meters>(List.of(instruments.meters()));
        traces.ifPresent(meters::add);
        LedgerMove.refuseIfMoved(home, settings.node().isPresent());
        var cluster = settings.node().map(node -> Joining.cluster(node, home, config, clock, version, System.getenv()));
        // the guard of the last daemon stays until the others have heard of this one
        var guard = cluster.map(joined -> Joining.guard(settings.node().orElseThrow(), home, joined));
        var own = config.with(settings.outward().channels());
        var house = cluster.isEmpty()
                ? House.open(home, own, projects, clock, Meters.all(meters))
                : House.open(
                        home,
                        own,
                        projects,
                        clock,
                        Meters.all(meters),
                        cluster.get().ledger(),
                        cluster.get());
        try {
            instruments.watch(house, home.root(), version, clock);
            traces.ifPresent(one -> one.start(house, home.root(), version));
            var environments = OwnerEnvironments.open(home, config.waking(), clock.now());
            var headless = new Headless(house, home, environments, clock);
            house.sessions().onHeadlessWake(headless::wake);
            var agents = new ToolAgents(house, settings.toolAgents());
            var operations = new Operations(house, agents);
            var mint = new Mint(house, clock);
            var signIn = new SignIn(mint, clock);
            var surfaces = new HttpListener.Surfaces(
                    house,
                    mint,
                    new McpServer(operations, version),
                    new Hooks(house, clock::now, headless::hasStarted),
                    agents,
                    new Site(house, signIn, clock),
                    clock,
                    instruments);
            var http = HttpListener.open(settings.http(), home.root(), surfaces);
            try {
                var facts = new DaemonFacts(
                        home.root(), home.socket(), version, projects, mint, signIn, http.address(), shutdown);
                var socket = SocketServer.open(house, facts, upgrades(surfaces, environments));
                var courier = Courier.open(settings.outward(), house, clock);
                var sleep = SleepWatch.open(house, settings.sleepSignals(), System.getenv());
                return new Daemon(house, instruments, traces, http, socket, courier, sleep, guard);
            } catch (RuntimeException e) {
                http.close();
                throw e;
            }
        } catch (RuntimeException e) {
            house.close();
            throw e;
        }
    }

    /** The protocols that harnesses speak over the socket. */
    private static Map<String, Upgrade> upgrades(HttpListener.Surfaces surfaces, OwnerEnvironments environments) {
        var hooks = new HookConversation(surfaces.hooks());
        var mcp = new McpConversation(surfaces.house(), surfaces.mcp(), environments::remember);
        return Map.of("hook", hooks.hook(), "wake", hooks.wake(), "mcp", mcp);
    }

    public House house() {
        return house;
    }

    @Override
    public void close() {
        sleep.close();
        socket.close();
        http.close();
        courier.close();
        traces.ifPresent(Exporter::close);
        instruments.close();
        house.close();
        guard.ifPresent(Guard::close);
    }
}
