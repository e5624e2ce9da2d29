package dev.roost.daemon.http;

import com.sun.net.httpserver.HttpServer;
import dev.roost.daemon.config.HttpSetting;
import dev.roost.daemon.hooks.Hooks;
import dev.roost.daemon.mcp.McpServer;
import dev.roost.daemon.mcp.ToolAgents;
import dev.roost.daemon.meters.Instruments;
import dev.roost.daemon.tokens.Mint;
import dev.roost.daemon.tokens.Secret;
import dev.roost.house.House;
import dev.roost.run.Broken;
import dev.roost.run.Clock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Listens for HTTP where the operator wants it, if at all. */
public final class HttpListener implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(HttpListener.class.getName());
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    static { // read once by the JDK's server, when its first class is loaded
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("sun.net.httpserver.maxReqTime", "60"); // nobody takes longer to say what they want
    }

    private final Optional<HttpServer> server;
    private final Optional<Where> where;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private final Patience patience;

    private HttpListener(Optional<HttpServer> server, Optional<Where> where, Clock clock) {
        this.server = server;
        this.where = where;
        this.patience = new Patience(clock, PATIENCE);
    }

    /** What requests are answered with. */
    public record Surfaces(
            House house,
            Mint mint,
            McpServer mcp,
            Hooks hooks,
            ToolAgents agents,
            Pages pages,
            Clock clock,
            Instruments instruments) {}

    public static HttpListener open(HttpSetting setting, Path home, Surfaces surfaces) {
        return switch (setting) {
            case HttpSetting.Off _ -> new HttpListener(Optional.empty(), Optional.empty(), surfaces.clock);
            case HttpSetting.At(var here) ->
                at(new HttpSetting.Open(here.address(), here.port(), Optional.empty(), List.of()), home, surfaces);
            case HttpSetting.Open open -> at(open, home, surfaces);
            case HttpSetting.Chosen _ -> anywhere(home, surfaces);
        };
    }

    private static HttpListener at(HttpSetting.Open open, Path home, Surfaces surfaces) {
        try {
            boolean others = !open.address().isLoopbackAddress();
            if (others && open.tls().isEmpty())
                LOG.log(
                        System.Logger.Level.WARNING,
                        "HTTP without TLS can be reached by others: tokens and output go over the wire in clear");
            var context = open.tls().map(files -> new Certificate(files).context());
            var server = ChosenPort.at(open.address(), open.port(), context);
            var where = new Where(open.address(), open.port(), context.isPresent(), open.names());
            return started(server, where, home, surfaces);
        } catch (IOException e) {
            throw new Broken(
                    "http_failed",
                    "Port %d cannot be listened on: %s.".formatted(open.port(), e.getMessage()),
                    "Set http in config.toml to another address, or to \"off\".");
        }
    }

    /** Who has not asked for HTTP does not lose the daemon over it. */
    private static HttpListener anywhere(Path home, Surfaces surfaces) {
        try {
            var server = new ChosenPort(new KeptFile(home.resolve("http.port"))).bind();
            var at = server.getAddress();
            return started(server, new Where(at.getAddress(), at.getPort(), false, List.of()), home, surfaces);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.ERROR, "HTTP is not listened for", e);
            return new HttpListener(Optional.empty(), Optional.empty(), surfaces.clock);
        }
    }

    private static HttpListener started(HttpServer server, Where where, Path home, Surfaces surfaces)
            throws IOException {
        var listener = new HttpListener(Optional.of(server), Optional.of(where), surfaces.clock);
        try {
            var secret = keptSecret(new KeptFile(home.resolve("token")));
            var metersOnly = keptSecret(new KeptFile(home.resolve("metrics.token")));
            var door = new Door(
                    secret,
                    metersOnly,
                    surfaces.mint,
                    new Bearer.Operator(surfaces.house::owner),
                    where,
                    surfaces.clock);
            var router = new Router(
                    door,
                    new McpRoute(surfaces.house, surfaces.mcp),
                    new HookRoute(surfaces.hooks),
                    new MetersRoute(surfaces.instruments),
                    new Api(surfaces.house, surfaces.agents, surfaces.clock),
                    surfaces.pages,
                    listener.patience);
            server.createContext("/", router);
            server.setExecutor(listener.threads);
            server.start();
            return listener;
        } catch (IOException e) {
            listener.close();
            throw e;
        }
    }

    /** Made once; whoever removes the file has another at the daemon's next start. */
    private static Secret keptSecret(KeptFile file) throws IOException {
        var kept = new Secret(file.read());
        if (kept.wellFormed()) return kept;
        var fresh = Secret.create();
        file.write(fresh.text());
        return fresh;
    }

    /** Such as {@code http://127.0.0.1:24077}; empty if nobody listens. */
    public Optional<String> address() {
        return where.map(Where::text);
    }

    @Override
    public void close() {
        server.ifPresent(one -> one.stop(0));
        threads.shutdownNow();
        patience.close();
    }
}
