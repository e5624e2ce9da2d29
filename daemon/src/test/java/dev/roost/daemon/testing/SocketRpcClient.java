package dev.roost.daemon.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A client as anybody could write one from docs/protocol.md. */
public final class SocketRpcClient implements AutoCloseable {

    private final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    private final BufferedReader reader;
    private int id;

    public SocketRpcClient(Path home) throws IOException {
        channel.connect(UnixDomainSocketAddress.of(home.resolve("roost.sock")));
        reader = new BufferedReader(new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8));
    }

    public JsonNode exchange(String method, ObjectNode params) throws IOException {
        var request = DaemonFixture.JSON
                .createObjectNode()
                .put("jsonrpc", "2.0")
                .put("id", ++id)
                .put("method", method);
        request.set("params", params);
        send(request.toString());
        return DaemonFixture.JSON.readTree(line());
    }

    public void send(String line) throws IOException {
        write(line + "\n");
    }

    public void write(String text) throws IOException {
        write(text.getBytes(StandardCharsets.UTF_8));
    }

    public void write(byte[] given) throws IOException {
        var bytes = ByteBuffer.wrap(given);
        while (bytes.hasRemaining()) channel.write(bytes);
    }

    /** Sends until the server stops reading, without reading answers; returns the number of bytes. */
    public int writeWhatIsTaken(String text) throws IOException {
        var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        channel.configureBlocking(false);
        try {
            for (int idle = 0; idle < 200 && bytes.hasRemaining(); ) {
                idle = channel.write(bytes) > 0 ? 0 : idle + 1;
                if (idle > 0) LockSupport.parkNanos(10_000_000);
            }
        } finally {
            channel.configureBlocking(true);
        }
        return bytes.position();
    }

    /** Empty at the end of the stream. */
    public Optional<String> lineOrEnd() throws IOException {
        return Optional.ofNullable(reader.readLine());
    }

    /** The other direction stays open. */
    public void sayNoMore() throws IOException {
        channel.shutdownOutput();
    }

    public String line() throws IOException {
        String line = reader.readLine();
        if (line == null) throw new IOException("the daemon closed the connection");
        return line;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
