package dev.roost.bench;

import dev.roost.bench.system.DaemonConnection;
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
import java.util.LinkedHashMap;
import java.util.Map;

/** The waiting times of an owner's session: a tool call, a hook without a digest, and a hook with one. */
final class SessionBenchmark {

    private static final int ROUNDS = 200;
    private static final String SESSION = "bench";

    private final Path home;

    private SessionBenchmark(Path home) {
        this.home = home;
    }

    static Map<String, String> measure(Path home) throws IOException {
        return new SessionBenchmark(home).measure();
    }

    private Map<String, String> measure() throws IOException {
        var start = new double[ROUNDS];
        var silent = new double[ROUNDS];
        var withDigest = new double[ROUNDS];
        hook("SessionStart");
        try (var tools = new Line()) {
            tools.send("{\"method\":\"mcp\",\"params\":{\"cwd\":\"/\",\"env\":{\"PATH\":\"/usr/bin:/bin\","
                    + "\"CLAUDE_CODE_SESSION_ID\":\"" + SESSION + "\"}}}");
            for (int i = 0; i < ROUNDS; i++) {
                silent[i] = time(() -> hook("UserPromptSubmit"));
                var answer = new String[1];
                int id = 2 * i;
                start[i] = time(
                        () -> answer[0] = call(
                                tools,
                                id,
                                "agent",
                                "{\"prompt\":\"true\",\"description\":\"d\",\"agent\":\"command\",\"run_in_background\":true}"));
                var run = DaemonConnection.JSON
                        .readTree(answer[0])
                        .path("result")
                        .path("structuredContent")
                        .path("run_id")
                        .asString();
                awaitEnd(run);
                withDigest[i] = time(() -> {
                    if (!hook("UserPromptSubmit")) throw new IOException("the hook returned no digest");
                });
                hook("PostToolBatch"); // acknowledges the digest
            }
        }
        var figures = new LinkedHashMap<String, String>();
        figures.put("tool call: agent in the background", BenchMain.spread(start));
        figures.put("hook, nothing to say (in the daemon)", BenchMain.spread(silent));
        figures.put("hook, with a digest, until the offer is committed", BenchMain.spread(withDigest));
        return figures;
    }

    private void awaitEnd(String run) throws IOException {
        try (var daemonConnection = new DaemonConnection(home)) {
            daemonConnection.call(
                    "output",
                    DaemonConnection.JSON
                            .createObjectNode()
                            .put("caller", "cli:bench")
                            .put("operator", true)
                            .put("run_id", run)
                            .put("block", true));
        }
    }

    private static String call(Line tools, int id, String tool, String arguments) throws IOException {
        tools.send(
                "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\",\"arguments\":%s}}"
                        .formatted(id, tool, arguments));
        return tools.next();
    }

    /** True if the hook returned a digest. */
    private boolean hook(String event) throws IOException {
        try (var line = new Line()) {
            line.send(
                    "{\"method\":\"hook\",\"params\":{\"harness\":\"claude-code\",\"event\":\"%s\",\"input\":\"{\\\"session_id\\\":\\\"%s\\\"}\"}}"
                            .formatted(event, SESSION));
            if (line.next().equals("{}")) return false;
            line.send("written");
            line.next();
            return true;
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static double time(Work work) throws IOException {
        long began = System.nanoTime();
        work.run();
        return (System.nanoTime() - began) / 1e6;
    }

    /** A new connection. */
    private final class Line implements AutoCloseable {
        private final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        private final BufferedReader reader;

        Line() throws IOException {
            channel.connect(UnixDomainSocketAddress.of(home.resolve("roost.sock")));
            reader =
                    new BufferedReader(new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8));
        }

        void send(String line) throws IOException {
            var bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) channel.write(bytes);
        }

        String next() throws IOException {
            var line = reader.readLine();
            if (line == null) throw new IOException("the daemon closed the connection");
            return line;
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
