package dev.roost.daemon.rest;

import com.sun.net.httpserver.HttpServer;
import dev.roost.base.Broken;
import dev.roost.base.Clock;
import dev.roost.daemon.config.HttpSetting;
import dev.roost.daemon.hooks.HookService;
import dev.roost.daemon.http.Authenticator;
import dev.roost.daemon.http.ListenAddress;
import dev.roost.daemon.http.OneLineFile;
import dev.roost.daemon.http.PageHandler;
import dev.roost.daemon.http.Principal;
import dev.roost.daemon.http.RememberedPort;
import dev.roost.daemon.http.StalledClientGuard;
import dev.roost.daemon.http.TlsCertificate;
import dev.roost.daemon.mcp.AllowedAgents;
import dev.roost.daemon.mcp.McpServer;
import dev.roost.daemon.telemetry.MetricsRegistry;
import dev.roost.daemon.tokens.Secret;
import dev.roost.daemon.tokens.TokenService;
import dev.roost.service.RoostService;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The HTTP listener at the configured address; none if HTTP is off. */
public final class HttpEndpoint implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(HttpEndpoint.class.getName());
    private static final Duration WRITE_TIMEOUT = Duration.ofSeconds(60);

    static { // read once by the JDK's server, when its first class is loaded
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("sun.net.httpserver.maxReqTime", "60"); // seconds until a request must be complete
    }

    private final Optional<HttpServer> server;
    private final Optional<ListenAddress> listenAddress;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private final StalledClientGuard stallGuard;

    private HttpEndpoint(Optional<HttpServer> server, Optional<ListenAddress> listenAddress, Clock clock) {
        this.server = server;
        this.listenAddress = listenAddress;
        this.stallGuard = new StalledClientGuard(clock, WRITE_TIMEOUT);
    }

    /** The services that answer requests. */
    public record RequestHandlers(
            RoostService service,
            TokenService tokens,
            McpServer mcp,
            HookService hooks,
            AllowedAgents agents,
            PageHandler pages,
            Clock clock,
            MetricsRegistry metrics) {}

    public static HttpEndpoint open(HttpSetting setting, Path home, RequestHandlers handlers) {
        return switch (setting) {
            case HttpSetting.Disabled _ -> new HttpEndpoint(Optional.empty(), Optional.empty(), handlers.clock);
            case HttpSetting.LoopbackPort(var here) ->
                at(
                        new HttpSetting.PublicAddress(here.address(), here.port(), Optional.empty(), List.of()),
                        home,
                        handlers);
            case HttpSetting.PublicAddress publicAddress -> at(publicAddress, home, handlers);
            case HttpSetting.AutomaticPort _ -> onRememberedPort(home, handlers);
        };
    }

    private static HttpEndpoint at(HttpSetting.PublicAddress publicAddress, Path home, RequestHandlers handlers) {
        try {
            boolean isPublic = !publicAddress.address().isLoopbackAddress();
            if (isPublic && publicAddress.tls().isEmpty())
                LOG.log(
                        System.Logger.Level.WARNING,
                        "other machines can reach HTTP without TLS: tokens and output are sent unencrypted");
            var context = publicAddress.tls().map(files -> new TlsCertificate(files).context());
            var server = RememberedPort.at(publicAddress.address(), publicAddress.port(), context);
            var address = new ListenAddress(
                    publicAddress.address(), publicAddress.port(), context.isPresent(), publicAddress.names());
            return started(server, address, home, handlers);
        } catch (IOException e) {
            throw new Broken(
                    "http_failed",
                    "Port %d cannot be listened on: %s.".formatted(publicAddress.port(), e.getMessage()),
                    "Set http in config.toml to another address, or to \"off\".");
        }
    }

    /** Listens on the remembered port. Without a configured address, a failure is only logged and the daemon starts. */
    private static HttpEndpoint onRememberedPort(Path home, RequestHandlers handlers) {
        try {
            var server = new RememberedPort(new OneLineFile(home.resolve("http.port"))).bind();
            var at = server.getAddress();
            return started(server, new ListenAddress(at.getAddress(), at.getPort(), false, List.of()), home, handlers);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.ERROR, "HTTP is off: no port could be opened", e);
            return new HttpEndpoint(Optional.empty(), Optional.empty(), handlers.clock);
        }
    }

    private static HttpEndpoint started(HttpServer server, ListenAddress address, Path home, RequestHandlers handlers)
            throws IOException {
        var listener = new HttpEndpoint(Optional.of(server), Optional.of(address), handlers.clock);
        try {
            var secret = storedSecret(new OneLineFile(home.resolve("token")));
            var metricsSecret = storedSecret(new OneLineFile(home.resolve("metrics.token")));
            var authenticator = new Authenticator(
                    secret,
                    metricsSecret,
                    handlers.tokens,
                    new Principal.OperatorPrincipal(handlers.service::owner),
                    address,
                    handlers.clock);
            var router = new HttpRouter(
                    authenticator,
                    new McpRoute(handlers.service, handlers.mcp),
                    new HookRoute(handlers.hooks),
                    new MetricsRoute(handlers.metrics),
                    new RestApi(handlers.service, handlers.agents, handlers.clock),
                    handlers.pages,
                    listener.stallGuard);
            server.createContext("/", router);
            server.setExecutor(listener.threads);
            server.start();
            return listener;
        } catch (IOException e) {
            listener.close();
            throw e;
        }
    }

    /** Reads the secret, or creates it. If the file is removed, the daemon's next start creates another secret. */
    private static Secret storedSecret(OneLineFile file) throws IOException {
        var stored = new Secret(file.read());
        if (stored.wellFormed()) return stored;
        var fresh = Secret.create();
        file.write(fresh.text());
        return fresh;
    }

    /** Such as {@code http://127.0.0.1:24077}; empty if HTTP is off. */
    public Optional<String> address() {
        return listenAddress.map(ListenAddress::text);
    }

    @Override
    public void close() {
        server.ifPresent(one -> one.stop(0));
        threads.shutdownNow();
        stallGuard.close();
    }
}
