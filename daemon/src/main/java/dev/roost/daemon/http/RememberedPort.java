package dev.roost.daemon.http;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.roost.home.PrivateFiles;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;

/** A port that is chosen once and stored, so every daemon of the home listens on the same port. */
public record RememberedPort(Path file) {

    private static final System.Logger LOG = System.getLogger(RememberedPort.class.getName());
    private static final Pattern PORT = Pattern.compile("\\d{1,5}");
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");
    private static final int BACKLOG = 256;
    private static final int MOST_BYTES = 4096;

    // below the kernel's ephemeral ports: after a restart, an outgoing connection could occupy one of those
    private static final int LOWEST = 20_000;
    private static final int HIGHEST = 32_000;
    private static final int MAX_TRIES = 50;

    public HttpServer bind() throws IOException {
        var last = Optional.of(PrivateFiles.tail(file, MOST_BYTES).strip())
                .filter(text -> PORT.matcher(text).matches())
                .map(Integer::parseInt)
                .filter(port -> port > 0 && port < 65_536);
        if (last.isPresent()) {
            var server = tryBind(last.get());
            if (server.isPresent()) return server.get();
        }
        var server = bindRandomPort();
        var port = Integer.toString(server.getAddress().getPort());
        last.ifPresent(old -> LOG.log(
                System.Logger.Level.WARNING,
                "port {0} is in use; HTTP listens on {1} from now on",
                old.toString(),
                port));
        PrivateFiles.replace(file, file.getFileName() + ".new", port + "\n");
        return server;
    }

    private static HttpServer bindRandomPort() throws IOException {
        for (int i = 0; i < MAX_TRIES; i++) {
            var server = tryBind(ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST));
            if (server.isPresent()) return server.get();
        }
        return at(LOOPBACK, 0, Optional.empty());
    }

    private static Optional<HttpServer> tryBind(int port) throws IOException {
        try {
            return Optional.of(at(LOOPBACK, port, Optional.empty()));
        } catch (BindException e) {
            return Optional.empty();
        }
    }

    public static HttpServer at(InetAddress address, int port, Optional<SSLContext> tls) throws IOException {
        var at = new InetSocketAddress(address, port);
        if (tls.isEmpty()) return HttpServer.create(at, BACKLOG);
        var server = HttpsServer.create(at, BACKLOG);
        server.setHttpsConfigurator(new HttpsConfigurator(tls.get()));
        return server;
    }
}
