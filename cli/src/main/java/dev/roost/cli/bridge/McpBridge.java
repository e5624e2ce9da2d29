package dev.roost.cli.bridge;

import dev.roost.cli.client.CallerEnvironment;
import dev.roost.cli.client.LauncherScript;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * {@code roost mcp}: copies a harness's lines to the daemon and back. If the daemon dies, the bridge starts another one and
 * repeats the unanswered calls; the daemon recognizes a call that it has received before.
 */
final class McpBridge {

    private static final int SECONDS_TO_START = 20;
    private static final int MAX_TRIES = 5;
    private static final int MAX_LINE = 8 << 20; // the daemon's limit
    private static final String UNREACHABLE = error(
            -32003,
            "The Roost daemon cannot be reached or started; the state of background runs is unknown."
                    + " `roost daemon start` in a shell shows why.");

    private final String hello;
    private final PrintStream out =
            new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    private final Map<String, String> unanswered = new LinkedHashMap<>();
    private @Nullable SocketChannel socket;
    private int losses; // since the daemon's last line

    private McpBridge(String hello) {
        this.hello = hello;
    }

    static McpBridge of(List<String> words) {
        var options = new LinkedHashMap<String, String>();
        for (int i = 0; i < words.size(); i += 2) {
            boolean known = List.of("--dialect", "--harness").contains(words.get(i));
            if (!known || i + 1 == words.size()) System.exit(BridgeMain.usage());
            options.put(words.get(i).substring(2), words.get(i + 1));
        }
        var more = new StringBuilder();
        options.forEach((name, value) ->
                more.append(",").append(MinimalJson.quoted(name)).append(":").append(MinimalJson.quoted(value)));
        return new McpBridge("{\"method\":\"mcp\",\"params\":{\"bridge\":%s,\"pid\":%d,\"cwd\":%s,\"env\":%s%s}}"
                .formatted(
                        MinimalJson.quoted(UUID.randomUUID().toString()),
                        ProcessHandle.current().pid(),
                        MinimalJson.quoted(System.getProperty("user.dir")),
                        MinimalJson.object(CallerEnvironment.own()),
                        more));
    }

    int run() throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (var line = in.readLine(); line != null; line = in.readLine()) {
            if (!line.isBlank()) fromHarness(line);
        }
        return 0; // the harness has exited; its runs continue
    }

    private synchronized void fromHarness(String line) {
        var id = MinimalJson.field(line, "id");
        var method = MinimalJson.field(line, "method");
        if (line.getBytes(StandardCharsets.UTF_8).length >= MAX_LINE) {
            id.ifPresent(one -> answer(one, error(-32600, "A call has at most 8 MiB.")));
            return;
        }
        if (id.isPresent() && method.isPresent()) unanswered.put(id.get(), line);
        if (method.equals(Optional.of("\"notifications/cancelled\""))) {
            MinimalJson.field(line, "params")
                    .flatMap(params -> MinimalJson.field(params, "requestId"))
                    .ifPresent(unanswered::remove);
        }
        if (socket == null) reconnect(); // repeats all unanswered calls, this one too
        else if (!send(line)) reconnect();
    }

    private boolean send(String line) {
        try {
            var open = socket;
            if (open != null) BridgeMain.send(open, line);
            return open != null;
        } catch (IOException e) {
            return false;
        }
    }

    private synchronized void reconnect() {
        close();
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            try {
                var opened = BridgeMain.connect();
                socket = opened;
                if (!send(hello)) throw new IOException("the daemon closed the connection");
                unanswered.values().forEach(this::send); // listen() notices a failure
                Thread.ofPlatform().daemon().start(() -> listen(opened));
                return;
            } catch (IOException e) {
                close();
                if (!LauncherScript.start(SECONDS_TO_START)) LockSupport.parkNanos(500_000_000L << tries);
            }
        }
        giveUp(UNREACHABLE);
    }

    private void close() {
        try {
            if (socket != null) socket.close();
        } catch (IOException e) {
            // nothing left to release
        }
        socket = null;
    }

    private void listen(SocketChannel from) {
        try (var in = new BufferedInputStream(Channels.newInputStream(from), 1 << 16)) {
            var line = new ByteArrayOutputStream();
            boolean first = true;
            for (int b = in.read(); b >= 0; b = in.read()) {
                if (b != '\n') {
                    line.write(b);
                    continue;
                }
                fromDaemon(line.toString(StandardCharsets.UTF_8), first);
                first = false;
                line.reset();
            }
            // drops a partial line, which a killed daemon may leave
        } catch (IOException e) {
            // the connection is lost
        }
        onLoss(from);
    }

    private synchronized void fromDaemon(String line, boolean first) {
        var id = MinimalJson.field(line, "id");
        var error = MinimalJson.field(line, "error");
        // an error with data and without id refuses the hello
        if (first
                && id.equals(Optional.of("null"))
                && error.flatMap(e -> MinimalJson.field(e, "data")).isPresent()) {
            close(); // a retry would be refused too
            giveUp(error.get());
            return;
        }
        losses = 0;
        out.print(line + "\n");
        out.flush();
        if (id.isEmpty() || MinimalJson.field(line, "method").isPresent()) return;
        unanswered.remove(id.get());
        if (!out.checkError())
            send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roost/written\",\"params\":{\"id\":%s}}"
                    .formatted(id.get()));
    }

    private synchronized void onLoss(SocketChannel from) {
        if (!from.equals(socket)) return; // already replaced
        close();
        if (unanswered.isEmpty()) return; // the next call reconnects
        if (++losses > MAX_TRIES) giveUp(UNREACHABLE);
        else reconnect();
    }

    private void giveUp(String error) {
        losses = 0;
        unanswered.keySet().forEach(id -> answer(id, error));
        unanswered.clear();
    }

    private void answer(String id, String error) {
        out.print("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":%s}\n".formatted(id, error));
        out.flush();
    }

    private static String error(int code, String message) {
        return "{\"code\":%d,\"message\":%s}".formatted(code, MinimalJson.quoted(message));
    }
}
