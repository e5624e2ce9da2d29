package dev.roost.cli.client;

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
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Client of a home's daemon; starts the daemon if none runs. */
public final class DaemonClient implements AutoCloseable {

    public static final JsonMapper JSON = new JsonMapper();

    private static final int PAGE = 1000;

    private final Invocation invocation;
    private final Path home;
    private final CallerIdentity identity;
    private final Map<String, String> settings;
    private @Nullable SocketChannel channel;
    private @Nullable BufferedReader reader;
    private int calls;

    private DaemonClient(Invocation invocation, Path home, CallerIdentity identity, Map<String, String> settings) {
        this.invocation = invocation;
        this.home = home;
        this.identity = identity;
        this.settings = settings;
    }

    /** For the caller's home. */
    public static DaemonClient of(Invocation invocation) {
        return new DaemonClient(invocation, invocation.home(), invocation.identity(), Map.of());
    }

    /** Acts as {@code identity}; a daemon that it starts has {@code settings}. */
    public static DaemonClient of(Path home, CallerIdentity identity, Map<String, String> settings) {
        return new DaemonClient(Invocation.ofThisProcess(), home, identity, settings);
    }

    /** An idempotent call: if the daemon dies, the client starts another one and repeats the call. */
    public JsonNode call(String method, ObjectNode params) {
        for (int attempt = 1; ; attempt++) {
            try {
                return exchange(method, params);
            } catch (IOException e) {
                close();
                if (attempt == 3) throw daemonGone(method);
            }
        }
    }

    /** A call that is not idempotent: no retry. */
    public JsonNode callOnce(String method, ObjectNode params) {
        try {
            return exchange(method, params);
        } catch (IOException e) {
            close();
            throw daemonGone(method);
        }
    }

    private static CliError daemonGone(String method) {
        return CliErrorCode.DAEMON_GONE.error(
                "The daemon closed the connection before it answered `%s`.".formatted(method));
    }

    /** Like {@link #call}, but empty if no daemon runs. */
    public Optional<JsonNode> callIfRunning(String method, ObjectNode params) {
        try {
            if (channel == null) connect();
            return Optional.of(exchange(method, params));
        } catch (IOException e) {
            close();
            return Optional.empty();
        }
    }

    /** All pages of {@code list}, until there are {@code most} runs, as one response; empty if no daemon runs. */
    public Optional<JsonNode> listIfRunning(ObjectNode params, int most) {
        var all = JSON.createObjectNode();
        var runs = all.putArray("runs");
        params.put("limit", PAGE);
        while (true) {
            var page = callIfRunning("list", params);
            if (page.isEmpty()) return page;
            page.get().path("runs").forEach(runs::add);
            var next = page.get().path("next_cursor").asString("");
            if (next.isEmpty()) return Optional.of(all);
            if (runs.size() >= most) return Optional.of(all.put("next_cursor", next));
            params.put("cursor", next);
        }
    }

    /** Stops the home's daemon and waits for its exit; empty if none runs. */
    public Optional<JsonNode> shutdown() {
        var answer = callIfRunning("shutdown", JSON.createObjectNode());
        close();
        answer.flatMap(daemon -> ProcessHandle.of(daemon.path("pid").asLong())).ifPresent(DaemonLauncher::awaitEnd);
        return answer;
    }

    private JsonNode exchange(String method, ObjectNode params) throws IOException {
        if (channel == null) {
            try {
                connect();
            } catch (IOException e) {
                DaemonLauncher.start(invocation, home, settings, () -> {
                    try {
                        connect();
                        return true;
                    } catch (IOException notYet) {
                        return false;
                    }
                });
                if (channel == null) connect();
            }
        }
        var request =
                JSON.createObjectNode().put("jsonrpc", "2.0").put("id", ++calls).put("method", method);
        var all = params.deepCopy().put("caller", identity.owner());
        if (identity.operator()) all.put("operator", true);
        request.set("params", all);
        var bytes = ByteBuffer.wrap((request + "\n").getBytes(StandardCharsets.UTF_8));
        var open = channel;
        var in = reader;
        if (open == null || in == null) throw new IOException("not connected");
        while (bytes.hasRemaining()) open.write(bytes);
        String line = in.readLine();
        if (line == null) throw new IOException("closed by the daemon");
        var answer = parse(line);
        if (answer.has("error")) throw CliError.of(answer.get("error"));
        return answer.get("result");
    }

    /** Fails on a partial line, which a daemon leaves that dies while it answers. */
    private static JsonNode parse(String line) throws IOException {
        try {
            return JSON.readTree(line);
        } catch (JacksonException e) {
            throw new IOException("the daemon's answer is incomplete", e);
        }
    }

    private void connect() throws IOException {
        var opened = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            opened.connect(UnixDomainSocketAddress.of(home.resolve("roost.sock")));
        } catch (IOException | IllegalArgumentException e) {
            opened.close();
            throw new IOException(e);
        }
        channel = opened;
        reader = new BufferedReader(new InputStreamReader(Channels.newInputStream(opened), StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        try {
            if (channel != null) channel.close();
        } catch (IOException e) {
            // nothing left to release
        }
        channel = null;
        reader = null;
    }
}
