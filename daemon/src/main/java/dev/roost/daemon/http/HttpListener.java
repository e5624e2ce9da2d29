package dev.roost.daemon.http;

import com.sun.net.httpserver.HttpServer;
import dev.roost.Roost;
import dev.roost.daemon.config.HttpSetting;
import dev.roost.daemon.hooks.Hooks;
import dev.roost.daemon.mcp.McpServer;
import dev.roost.daemon.meters.Instruments;
import dev.roost.daemon.tokens.Mint;
import dev.roost.daemon.tokens.Secret;
import dev.roost.daemon.wire.Loopback;
import dev.roost.run.Broken;
import dev.roost.run.Clock;
import java.io.IOException;
import java.net.Inet6Address;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Listens for HTTP where the operator wants it, if at all. */
public final class HttpListener implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(HttpListener.class.getName());

    static { // read once by the JDK's server, when its first class is loaded
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("sun.net.httpserver.maxReqTime", "60"); // nobody takes longer to say what they want
    }

    private final Optional<HttpServer> server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private HttpListener(Optional<HttpServer> server) {
        this.server = server;
    }

    /** What requests are answered with. */
    public record Surfaces(Roost roost, Mint mint, McpServer mcp, Hooks hooks, Clock clock, Instruments instruments) {}

    public static HttpListener open(HttpSetting setting, Path home, Surfaces surfaces) {
        return switch (setting) {
            case HttpSetting.Off _ -> new HttpListener(Optional.empty());
            case HttpSetting.At(var address) -> at(address, home, surfaces);
            case HttpSetting.Chosen _ -> anywhere(home, surfaces);
        };
    }

    private static HttpListener at(Loopback address, Path home, Surfaces surfaces) {
        try {
            return started(ChosenPort.at(address.address(), address.port()), home, surfaces);
        } catch (IOException e) {
            throw new Broken(
                    "http_failed",
                    "Port %d cannot be listened on: %s.".formatted(address.port(), e.getMessage()),
                    "Set http in config.toml to another address, or to \"off\".");
        }
    }

    /** Who has not asked for HTTP does not lose the daemon over it. */
    private static HttpListener anywhere(Path home, Surfaces surfaces) {
        try {
            return started(new ChosenPort(new KeptFile(home.resolve("http.port"))).bind(), home, surfaces);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.ERROR, "HTTP is not listened for", e);
            return new HttpListener(Optional.empty());
        }
    }

    private static HttpListener started(HttpServer server, Path home, Surfaces surfaces) throws IOException {
        var listener = new HttpListener(Optional.of(server));
        try {
            int port = server.getAddress().getPort();
            var secret = keptSecret(new KeptFile(home.resolve("token")));
            var metersOnly = keptSecret(new KeptFile(home.resolve("metrics.token")));
            var door = new Door(secret, metersOnly, surfaces.mint, port, surfaces.clock);
            var router = new Router(
                    door,
                    new McpRoute(surfaces.roost, surfaces.mcp),
                    new HookRoute(surfaces.hooks),
                    new MetersRoute(surfaces.instruments));
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
        return server.map(HttpServer::getAddress).map(at -> {
            var host = at.getAddress().getHostAddress();
            return "http://%s:%d"
                    .formatted(at.getAddress() instanceof Inet6Address ? "[%s]".formatted(host) : host, at.getPort());
        });
    }

    @Override
    public void close() {
        server.ifPresent(one -> one.stop(0));
        threads.shutdownNow();
    }
}
