package dev.roost.bench.system;

import dev.roost.bench.report.RateComparison;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.LinkedBlockingQueue;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A connection to the measured daemon. */
public final class DaemonConnection implements AutoCloseable {

    public static final JsonMapper JSON = new JsonMapper();

    private final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    private final BufferedReader reader;

    public DaemonConnection(Path home) throws IOException {
        channel.connect(UnixDomainSocketAddress.of(home.resolve("roost.sock")));
        reader = new BufferedReader(new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8));
    }

    public JsonNode call(String method, ObjectNode params) throws IOException {
        var request = JSON.createObjectNode().put("id", 1).put("method", method);
        request.set("params", params);
        var answer = JSON.readTree(exchange(request.toString()));
        if (answer.has("error")) throw new IOException(answer.get("error").toString());
        return answer.get("result");
    }

    /** Sends a line. */
    public void send(String line) throws IOException {
        var bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) channel.write(bytes);
    }

    /** Sends a line and returns the next one of the daemon. */
    public String exchange(String line) throws IOException {
        send(line);
        var answer = reader.readLine();
        if (answer == null) throw new IOException("the daemon closed the connection");
        return answer;
    }

    public static ObjectNode params(String run) {
        return params().put("run_id", run);
    }

    /** Waits for the end of a run. */
    public JsonNode awaitEnd(String run) throws IOException {
        return call(
                "output", params(run).put("operator", true).put("block", true).put("timeout_ms", 600_000));
    }

    /** The output of a program that has ended. */
    public String end(String run) throws IOException {
        return call("output", params(run).put("block", true).put("timeout_ms", 600_000))
                .path("result")
                .asString("");
    }

    /** Each call runs {@code true} to its end, on one of so many connections. */
    public static RateComparison.One lives(Path home, int connections) throws IOException {
        var free = new LinkedBlockingQueue<DaemonConnection>();
        for (int i = 0; i < connections; i++) free.add(new DaemonConnection(home));
        return _ -> {
            var connection = free.take();
            connection.end(connection.start("true"));
            free.add(connection);
        };
    }

    public static ObjectNode params() {
        return JSON.createObjectNode().put("caller", "bench:bench");
    }

    public String start(String... argv) throws IOException {
        var params = params().put("cwd", "/");
        params.putObject("env").put("PATH", "/usr/bin:/bin");
        var words = params.putArray("argv");
        for (var word : argv) words.add(word);
        return call("start", params).path("run_id").asString();
    }

    /** A field of /proc/PID/FILE, in KiB. */
    public static long kib(long pid, String file, String field) throws IOException {
        for (var line : Files.readAllLines(Path.of("/proc/" + pid, file))) {
            if (line.startsWith(field + ":")) {
                return Long.parseLong(
                        line.substring(field.length() + 1).replace("kB", "").strip());
            }
        }
        throw new IOException("no field " + field + " of process " + pid);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
