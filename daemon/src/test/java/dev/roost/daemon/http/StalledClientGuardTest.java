package dev.roost.daemon.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.roost.os.SystemClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** A real server and a real client that does not read. */
class StalledClientGuardTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    /** What became of the handler that writes for ever. */
    private CompletableFuture<Throwable> writesFor(Duration patience, Client client) throws Exception {
        var fate = new CompletableFuture<Throwable>();
        try (var watch = new StalledClientGuard(new SystemClock(), patience);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
            server.setExecutor(threads);
            server.createContext("/", exchange -> {
                try (var request = new WebRequest(exchange, watch);
                        var events = request.events()) {
                    while (true) events.send("data: %s\n\n".formatted("x".repeat(50_000)));
                } catch (IOException | RuntimeException e) {
                    fate.complete(e);
                }
            });
            server.start();
            try (var socket = new Socket()) {
                socket.setReceiveBufferSize(1 << 15);
                socket.connect(server.getAddress());
                socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.UTF_8));
                client.use(socket, fate);
            } finally {
                server.stop(0);
            }
        }
        return fate;
    }

    private interface Client {
        void use(Socket socket, CompletableFuture<Throwable> fate) throws Exception;
    }

    @Test
    void a_client_that_reads_nothing_is_disconnected_and_frees_its_thread() throws Exception {
        var fate = writesFor(Duration.ofSeconds(1), (socket, cut) -> {
            await().atMost(SOON).until(cut::isDone);
            assertThat(socket.isClosed()).isFalse();
            var bytes = new byte[1 << 16];
            try { // reads the buffered bytes, then the end
                while (socket.getInputStream().read(bytes) > 0) {}
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("reset");
            }
        });
        assertThat(fate.join()).isInstanceOf(IOException.class);
    }

    @Test
    void a_slow_client_is_not_disconnected() throws Exception {
        var _ = writesFor(Duration.ofSeconds(2), (socket, cut) -> {
            var bytes = new byte[1 << 16];
            long until = System.nanoTime() + Duration.ofSeconds(6).toNanos();
            while (System.nanoTime() < until) {
                assertThat(socket.getInputStream().read(bytes)).isPositive();
                assertThatThrownBy(() -> cut.get(5, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            }
        });
    }
}
