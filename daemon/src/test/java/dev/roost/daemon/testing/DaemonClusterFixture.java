package dev.roost.daemon.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cluster.testing.PostgresServer;
import dev.roost.testing.RoostCommandLines;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Daemons in processes and homes of their own that share a ledger; nothing of them outlives the test. */
public abstract class DaemonClusterFixture {

    public final String ledger = PostgresServer.shared().newDatabase();
    public final HttpClient client = HttpClient.newHttpClient();
    private final List<Node> nodes = new ArrayList<>();

    @TempDir
    public Path scratch;

    /** One of them, as programs on its machine and over HTTP see it. */
    public final class Node {

        public final Path home;
        private final Process process;
        private final SocketRpcClient socketRpcClient;
        public final String address;

        private Node(Path home, Process process) throws IOException {
            this.home = home;
            this.process = process;
            this.socketRpcClient = new SocketRpcClient(home);
            this.address = call("status", operator()).path("http").asString();
        }

        public JsonNode call(String method, ObjectNode params) throws IOException {
            var answer = socketRpcClient.exchange(method, params);
            assertThat(answer.path("error").toString()).as(method).isEmpty();
            return answer.get("result");
        }

        /** The error code of the answer. */
        public String refusal(String method, ObjectNode params) throws IOException {
            return error(method, params).path("code").asString();
        }

        public JsonNode error(String method, ObjectNode params) throws IOException {
            return socketRpcClient.exchange(method, params).at("/error/data");
        }

        public String operatorsToken() throws IOException {
            return Files.readString(home.resolve("token")).strip();
        }

        public String token(String owner) throws IOException {
            return tokenAndId(owner).path("secret").asString();
        }

        public JsonNode tokenAndId(String owner) throws IOException {
            var scope = operator().put("owner", owner).put("directory", scratch.toString());
            scope.putArray("agents").add("command");
            return call("token_create", scope);
        }

        /** Starts a script as this caller, which is not the operator. */
        public JsonNode start(String caller, String script) throws IOException {
            var params = as(caller).put("cwd", scratch.toString());
            params.putObject("env").put("PATH", System.getenv("PATH"));
            params.putArray("argv").add("sh").add("-c").add(script);
            return call("start", params);
        }

        public String end(String run) throws IOException {
            var params = operator().put("run_id", run).put("block", true).put("timeout_ms", "30s");
            return call("output", params).path("status").asString();
        }

        public HttpRequest.Builder request(String path, String token, String... headers) {
            var request = HttpRequest.newBuilder(URI.create(address + path))
                    .timeout(Duration.ofMinutes(1))
                    .header("Authorization", "Bearer " + token);
            return headers.length == 0 ? request : request.headers(headers);
        }

        public HttpResponse<String> get(String path, String token, String... headers) throws Exception {
            return send(request(path, token, headers));
        }

        public HttpResponse<String> post(String path, String token, ObjectNode body) throws Exception {
            return send(request(path, token).POST(HttpRequest.BodyPublishers.ofString(body.toString())));
        }
    }

    public HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    public static ObjectNode as(String caller) {
        return DaemonFixture.JSON.createObjectNode().put("caller", caller);
    }

    public static ObjectNode operator() {
        return as("cli:operator").put("operator", true);
    }

    public static JsonNode json(HttpResponse<String> answer) {
        return DaemonFixture.JSON.readTree(answer.body());
    }

    public Node node(String name) throws IOException {
        return node(name, ledger);
    }

    public Node node(String name, String ledger) throws IOException {
        return node(name, ledger, "", System.getenv("PATH"));
    }

    /** One with {@code more} in its configuration, whose programs are in {@code path}. */
    public Node node(String name, String ledger, String more, String path) throws IOException {
        var root = Files.createDirectories(scratch.resolve(name));
        var config = Files.createDirectories(root.resolve("config/roost")).resolve("config.toml");
        Files.writeString(config, """
                ledger = "%s"
                [node]
                name = "%s"
                directories = ["%s"]
                %s
                """.formatted(ledger, name, scratch, more));
        var home = root.resolve("home");
        var words = new ArrayList<>(RoostCommandLines.daemon("-Xmx256m", "--enable-native-access=ALL-UNNAMED"));
        words.add(home.toString());
        var builder =
                new ProcessBuilder(words).redirectError(root.resolve("stderr").toFile());
        builder.environment().put("ROOST_DAEMON", "1");
        builder.environment().put("XDG_CONFIG_HOME", root.resolve("config").toString());
        builder.environment().put("PATH", path);
        var process = builder.start();
        var line = DaemonFixture.firstLine(process);
        if (!line.startsWith("{\"pid\":")) {
            process.destroyForcibly();
            throw new AssertionError("%s said %s\n%s".formatted(name, line, Files.readString(root.resolve("stderr"))));
        }
        var node = new Node(home, process);
        nodes.add(node);
        return node;
    }

    @AfterEach
    public void endNodes() throws Exception {
        client.shutdownNow();
        var ending = List.copyOf(nodes);
        nodes.clear();
        try {
            for (var node : ending) {
                for (var run : node.call("list", operator()).path("runs"))
                    if (!run.has("ended_at"))
                        node.call(
                                "stop",
                                operator().put("run_id", run.path("run_id").asString()));
            }
        } finally {
            for (var node : ending) {
                node.socketRpcClient.close();
                node.process.destroy();
            }
            for (var node : ending) if (!node.process.waitFor(20, TimeUnit.SECONDS)) node.process.destroyForcibly();
        }
    }
}
