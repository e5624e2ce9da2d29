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

/** Speaks to the daemon of a home, which it starts where there is none. */
public final class DaemonClient implements AutoCloseable {

    public static final JsonMapper JSON = new JsonMapper();

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

    /** For the caller's home, whose daemon is started if need be. */
    public static DaemonClient of(Invocation invocation) {
        return new DaemonClient(invocation, invocation.home(), invocation.identity(), Map.of());
    }

    /** Acts as {@code owner}; a daemon that it starts has {@code settings}. */
    public static DaemonClient of(Path home, String owner, Map<String, String> settings) {
        return of(home, new CallerIdentity(owner, false), settings);
    }

    /** Acts as {@code identity}; a daemon that it starts has {@code settings}. */
    public static DaemonClient of(Path home, CallerIdentity identity, Map<String, String> settings) {
        return new DaemonClient(Invocation.ofThisProcess(), home, identity, settings);
    }

    /** A call that may safely be made again: a daemon that dies under it is replaced, and asked once more. */
    public JsonNode call(String method, ObjectNode params) {
        for (int attempt = 1; ; attempt++) {
            try {
                return exchange(method, params);
            } catch (IOException e) {
                close();
                if (attempt == 3) throw gone(method);
            }
        }
    }

    /** A call that must not be made twice. */
    public JsonNode callOnce(String method, ObjectNode params) {
        try {
            return exchange(method, params);
        } catch (IOException e) {
            close();
            throw gone(method);
        }
    }

    private static CliError gone(String method) {
        return new CliError(
                CliError.NO_DAEMON,
                "daemon_gone",
                "The daemon went away before it answered `%s`.".formatted(method),
                "Whether it was done, `roost ps --all` tells.");
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
        var answer = whole(line);
        if (answer.has("error")) throw CliError.of(answer.get("error"));
        return answer.get("result");
    }

    /** A daemon that dies in the middle of an answer leaves half a line. */
    private static JsonNode whole(String line) throws IOException {
        try {
            return JSON.readTree(line);
        } catch (JacksonException e) {
            throw new IOException("cut off by the daemon's end", e);
        }
    }

    private void connect() throws IOException {
        var fresh = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            fresh.connect(UnixDomainSocketAddress.of(home.resolve("roost.sock")));
        } catch (IOException | IllegalArgumentException e) {
            fresh.close();
            throw new IOException(e);
        }
        channel = fresh;
        reader = new BufferedReader(new InputStreamReader(Channels.newInputStream(fresh), StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        try {
            if (channel != null) channel.close();
        } catch (IOException e) {
            // closed is closed
        }
        channel = null;
        reader = null;
    }
}
