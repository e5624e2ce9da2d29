package dev.roost.daemon.http;

import com.sun.net.httpserver.HttpServer;
import dev.roost.base.Clock;
import dev.roost.base.ErrorCode;
import dev.roost.daemon.config.HttpSetting;
import dev.roost.daemon.tokens.Secret;
import dev.roost.daemon.tokens.TokenService;
import dev.roost.home.PrivateFiles;
import dev.roost.model.Owner;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** The HTTP listener at the configured address. */
public final class HttpEndpoint implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(HttpEndpoint.class.getName());
    private static final Duration WRITE_TIMEOUT = Duration.ofSeconds(60);

    static { // read once by the JDK's server, when its first class is loaded
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("sun.net.httpserver.maxReqTime", "60"); // seconds until a request must be complete
    }

    private final HttpServer server;
    private final ListenAddress address;
    private final StalledClientGuard stallGuard;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private HttpEndpoint(HttpServer server, ListenAddress address, Clock clock) {
        this.server = server;
        this.address = address;
        this.stallGuard = new StalledClientGuard(clock, WRITE_TIMEOUT);
    }

    /** What answers requests: the tokens of their senders, the names of owners, and the routes. */
    public record RequestHandlers(
            TokenService tokens, Function<String, Owner> owners, List<HttpRoute> routes, Clock clock) {}

    /** Empty if HTTP is off. */
    public static Optional<HttpEndpoint> open(HttpSetting setting, Path home, RequestHandlers handlers) {
        return switch (setting) {
            case HttpSetting.Disabled _ -> Optional.empty();
            case HttpSetting.LoopbackPort(var here) -> {
                var there = new HttpSetting.PublicAddress(here.address(), here.port(), Optional.empty(), List.of());
                yield Optional.of(at(there, home, handlers));
            }
            case HttpSetting.PublicAddress publicAddress -> Optional.of(at(publicAddress, home, handlers));
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
            throw ErrorCode.HTTP_FAILED.error(
                    "Port %d cannot be listened on: %s.".formatted(publicAddress.port(), e.getMessage()));
        }
    }

    /** Listens on the remembered port. Without a configured address, a failure is only logged and the daemon starts. */
    private static Optional<HttpEndpoint> onRememberedPort(Path home, RequestHandlers handlers) {
        try {
            var server = new RememberedPort(home.resolve("http.port")).bind();
            var at = server.getAddress();
            var address = new ListenAddress(at.getAddress(), at.getPort(), false, List.of());
            return Optional.of(started(server, address, home, handlers));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.ERROR, "HTTP is off: no port could be opened", e);
            return Optional.empty();
        }
    }

    private static HttpEndpoint started(HttpServer server, ListenAddress address, Path home, RequestHandlers handlers)
            throws IOException {
        var listener = new HttpEndpoint(server, address, handlers.clock);
        try {
            var authenticator = new Authenticator(
                    storedSecret(home.resolve("token")),
                    storedSecret(home.resolve("metrics.token")),
                    handlers.tokens,
                    handlers.owners,
                    address,
                    handlers.clock);
            server.createContext("/", new HttpRouter(authenticator, handlers.routes, listener.stallGuard));
            server.setExecutor(listener.threads);
            server.start();
            return listener;
        } catch (IOException e) {
            listener.close();
            throw e;
        }
    }

    /** Reads the secret, or creates it. If the file is removed, the daemon's next start creates another secret. */
    private static Secret storedSecret(Path file) throws IOException {
        var stored = new Secret(PrivateFiles.tail(file, 4096).strip());
        if (stored.wellFormed()) return stored;
        var fresh = Secret.create();
        PrivateFiles.replace(file, file.getFileName() + ".new", fresh.text() + "\n");
        return fresh;
    }

    /** Such as {@code http://127.0.0.1:24077}. */
    public String address() {
        return address.text();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        stallGuard.close();
    }
}
