package dev.roost.daemon.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.testing.RoostCommandLines;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A daemon in a process of its own, to be killed as a daemon is killed; nothing of it outlives the test. */
public abstract class DaemonFixture {

    public static final JsonMapper JSON = new JsonMapper();
    public static final Duration SOON = Duration.ofSeconds(20);
    public static final String PARENT = "claude:parent";

    @TempDir
    static Path room;

    private static @Nullable Process shared;

    @TempDir
    public Path scratch;

    public Path home;
    public Process daemon;

    @Nullable
    SocketRpcClient socketRpcClient;

    /** Whether all tests of the class share a daemon. Each test begins without runs and tokens, but owners stay. */
    public boolean sharesDaemon() {
        return false;
    }

    private Path root() {
        return sharesDaemon() ? room : scratch;
    }

    /** The configuration that the next daemon reads. */
    Path config() {
        return root().resolve("config/roost/config.toml");
    }

    @BeforeEach
    public void startDaemon() throws IOException {
        home = root().resolve("home");
        if (!sharesDaemon()) {
            daemon = start();
            return;
        }
        if (shared == null || !shared.isAlive()) shared = start();
        daemon = shared;
    }

    public Process start(String... prefix) throws IOException {
        var process = launch(prefix);
        var line = firstLine(process);
        assertThat(line).startsWith("{\"pid\":");
        return process;
    }

    public Map<String, String> settings() {
        return Map.of("ROOST_MAX_LIVE", "1000", "ROOST_MAX_LIVE_PER_OWNER", "1000");
    }

    /** Options of its JVM beyond the usual ones. */
    public List<String> options() {
        return List.of();
    }

    public Process launch(String... prefix) throws IOException {
        var words = new ArrayList<>(List.of(prefix));
        var options = new ArrayList<>(List.of("-Xmx256m", "--enable-native-access=ALL-UNNAMED"));
        options.addAll(options());
        words.addAll(RoostCommandLines.daemon(options.toArray(new String[0])));
        words.add(home.toString());
        var builder = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("ROOST_DAEMON", "1");
        builder.environment().put("XDG_CONFIG_HOME", root().resolve("config").toString());
        builder.environment().putAll(settings());
        return builder.start();
    }

    public static String firstLine(Process process) throws IOException {
        var reader = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        return String.valueOf(reader.readLine());
    }

    public void kill9() throws Exception {
        disconnect();
        daemon.destroyForcibly().waitFor();
    }

    public void disconnect() throws IOException {
        if (socketRpcClient != null) socketRpcClient.close();
        socketRpcClient = null;
    }

    public SocketRpcClient rpc() throws IOException {
        if (socketRpcClient == null) socketRpcClient = new SocketRpcClient(home);
        return socketRpcClient;
    }

    public JsonNode call(String method, ObjectNode params) throws IOException {
        var answer = rpc().exchange(method, params);
        assertThat(answer.path("error").toString()).as(method).isEmpty();
        return answer.get("result");
    }

    public JsonNode error(String method, ObjectNode params) throws IOException {
        return rpc().exchange(method, params).path("error").path("data");
    }

    public ObjectNode params() {
        return JSON.createObjectNode().put("caller", PARENT);
    }

    public ObjectNode operator() {
        return JSON.createObjectNode().put("caller", "cli:operator").put("operator", true);
    }

    public ObjectNode task(String... argv) {
        var params = params().put("cwd", scratch.toString());
        params.putObject("env").put("PATH", System.getenv("PATH")).put("SCRATCH", scratch.toString());
        var words = params.putArray("argv");
        for (var word : argv) words.add(word);
        return params;
    }

    public String sh(String script) throws IOException {
        return call("start", task("sh", "-c", script)).path("run_id").asString();
    }

    public JsonNode show(String run) throws IOException {
        return call("show", operator().put("run_id", run));
    }

    public String status(String run) throws IOException {
        return show(run).path("status").asString();
    }

    public JsonNode awaitEnd(String run) throws IOException {
        var output =
                call("output", operator().put("run_id", run).put("block", true).put("timeout_ms", "20s"));
        assertThat(output.path("timed_out").asBoolean())
                .as("%s should have ended", run)
                .isFalse();
        return output;
    }

    public long awaitPid(String run) {
        await().atMost(SOON).until(() -> show(run).has("pid"));
        try {
            return show(run).get("pid").asLong();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    public static boolean alive(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException e) {
            return false;
        }
    }

    /** Of rows as they are in its ledger. */
    public int count(String what) {
        try (var ledger =
                        DriverManager.getConnection("jdbc:sqlite:file:%s?mode=ro".formatted(home.resolve("roost.db")));
                var rows = ledger.createStatement().executeQuery("SELECT count(*) FROM " + what)) {
            return rows.getInt(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    public void endDaemon() throws Exception {
        try {
            if (!daemon.isAlive()) {
                disconnect();
                daemon = start();
            }
            if (sharesDaemon()) shared = daemon; // a test may have restarted it
            var live = call("list", operator());
            for (var run : live.path("runs")) {
                if (!run.has("ended_at"))
                    call("stop", operator().put("run_id", run.path("run_id").asString()));
            }
            if (sharesDaemon()) {
                for (var token : call("tokens", operator()).path("tokens"))
                    call(
                            "token_revoke",
                            operator().put("token_id", token.path("token_id").asString()));
                call("prune", operator().put("older_than", "0s").put("unread", true));
                disconnect();
                if (Files.deleteIfExists(config())) end(daemon); // the next test has a daemon without that
                return;
            }
            disconnect();
            end(daemon);
        } finally {
            if (!sharesDaemon()) daemon.destroyForcibly();
        }
    }

    private static void end(Process daemon) throws InterruptedException {
        daemon.destroy();
        assertThat(daemon.waitFor(20, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
    }

    @AfterAll
    static void endSharedDaemon() throws Exception {
        if (shared == null) return;
        try {
            end(shared);
        } finally {
            shared.destroyForcibly();
            shared = null;
        }
    }

    public void refused(String method, ObjectNode params, String code) throws IOException {
        var error = error(method, params);
        assertThat(error.path("code").asString())
                .as("%s %s", method, params.toString().length() > 500 ? "…" : params)
                .isEqualTo(code);
        assertThat(error.path("message").asString()).endsWith(".");
        assertThat(error.path("hint").asString()).isNotBlank();
    }
}
