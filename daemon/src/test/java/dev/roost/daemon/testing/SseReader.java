package dev.roost.daemon.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Reads server-sent events off a socket of its own, so that it can vanish in the middle of one. */
public final class SseReader implements AutoCloseable {

    public record Sent(String id, String name, JsonNode data) {
        public long number() {
            return Long.parseLong(id);
        }
    }

    private final Socket socket;
    private final BufferedReader lines;
    public final String head;

    public SseReader(int port, String path, String token, String... headers) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(30_000);
        var more = new StringBuilder();
        for (int i = 0; i < headers.length; i += 2) more.append("%s: %s\r\n".formatted(headers[i], headers[i + 1]));
        // of HTTP/1.0, whose answers are not in chunks
        var request =
                "GET %s HTTP/1.0\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nAccept: text/event-stream\r\n%s\r\n"
                        .formatted(path, port, token, more);
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        var all = new StringBuilder();
        for (var line = lines.readLine(); line != null && !line.isEmpty(); line = lines.readLine())
            all.append(line).append('\n');
        head = all.toString();
    }

    /** The next whole event; empty at the end. */
    public Optional<Sent> next() throws IOException {
        var id = "";
        var name = "";
        var data = "";
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("id: ")) id = line.substring(4);
            else if (line.startsWith("event: ")) name = line.substring(7);
            else if (line.startsWith("data: ")) data = line.substring(6);
            else if (line.isEmpty() && !data.isEmpty())
                return Optional.of(new Sent(id, name, DaemonFixture.JSON.readTree(data)));
            else assertThat(line).isIn("", ": ");
        }
        return Optional.empty();
    }

    public Sent need() throws IOException {
        return next().orElseThrow(() -> new AssertionError("the stream ended: " + head));
    }

    /** As a process dies. */
    public void kill() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
