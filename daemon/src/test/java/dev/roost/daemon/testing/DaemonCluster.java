package dev.roost.daemon.testing;

import static org.awaitility.Awaitility.await;

import dev.roost.cluster.testing.PostgresServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/** Nodes on one machine and the rows that they share. Nothing of it outlives the test. */
public final class DaemonCluster implements AutoCloseable {

    static final int LEASE_SECONDS = 3;
    public static final int GRACE_SECONDS = 7;
    public static final Duration LATE = Duration.ofSeconds(60);

    final Path scratch;
    public final String url;
    public final Map<String, DaemonNode> nodes = new HashMap<>();
    private final Limits limits;
    private final int grace;

    /** How many may run for one owner, on one worker, and on all. */
    public record Limits(int owner, int node, int all) {}

    public DaemonCluster(Path scratch, String url, Limits limits) {
        this(scratch, url, limits, GRACE_SECONDS);
    }

    public DaemonCluster(Path scratch, String url, Limits limits, int grace) {
        this.scratch = scratch;
        this.url = url;
        this.limits = limits;
        this.grace = grace;
    }

    public DaemonNode front() throws IOException {
        return join("front", url, false, List.of());
    }

    public DaemonNode worker(String name) throws IOException {
        return join(name, url, true, List.of());
    }

    public DaemonNode join(String name, String ledger, boolean worker, List<String> prefix) throws IOException {
        var toml = """
                ledger = "%s"
                max_live = %d
                max_live_per_owner = %d
                max_live_cluster = %d
                [node]
                name = "%s"
                worker = %s
                lease = "%ds"
                grace = "%ds"
                directories = ["%s"]
                """.formatted(
                        ledger, limits.node, limits.owner, limits.all, name, worker, LEASE_SECONDS, grace, scratch);
        var node = new DaemonNode(scratch, name, toml, prefix);
        nodes.put(name, node);
        return node;
    }

    public ObjectNode task(String owner, String script) {
        var params = DaemonFixture.JSON.createObjectNode().put("caller", owner).put("cwd", scratch.toString());
        params.putObject("env").put("PATH", System.getenv("PATH")).put("SCRATCH", scratch.toString());
        params.putArray("argv").add("sh").add("-c").add(script);
        return params;
    }

    public static ObjectNode operator() {
        return DaemonFixture.JSON
                .createObjectNode()
                .put("caller", "cli:operator")
                .put("operator", true);
    }

    /** Rows as they are, asked for again while the database is away. */
    public List<List<String>> rows(String sql) {
        var found = new ArrayList<List<String>>();
        await().atMost(LATE).pollInterval(Duration.ofMillis(20)).until(() -> {
            found.clear();
            try (var connection = PostgresServer.connect(url)) {
                found.addAll(rows(connection, sql));
                return true;
            } catch (SQLException e) {
                if (e.getSQLState() != null && e.getSQLState().startsWith("42")) throw e; // our own mistake
                return false;
            }
        });
        return found;
    }

    public static List<List<String>> rows(java.sql.Connection connection, String sql) throws SQLException {
        var found = new ArrayList<List<String>>();
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            int columns = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                var row = new ArrayList<String>();
                for (int i = 1; i <= columns; i++) row.add(String.valueOf(rows.getString(i)));
                found.add(row);
            }
        }
        return found;
    }

    public void execute(String sql) throws SQLException {
        try (var connection = PostgresServer.connect(url);
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    public List<String> column(String sql) {
        return rows(sql).stream().map(List::getFirst).toList();
    }

    public int count(String sql) {
        return Integer.parseInt(column(sql).getFirst());
    }

    public List<String> runningOn(DaemonNode node) {
        return column("SELECT run_id FROM attempt WHERE status = 'running' AND node = '%s'".formatted(node.name));
    }

    /** Agents that live without a live attempt on the node whose home they are of. */
    public Set<String> strays() throws IOException {
        var alive = new HashSet<String>();
        for (var node : nodes.values()) for (var run : node.alive()) alive.add(node.name + " " + run);
        var live = new HashSet<String>();
        for (var row : rows("SELECT node, run_id FROM attempt WHERE status = 'running'"))
            live.add(row.get(0) + " " + row.get(1));
        alive.removeAll(live);
        return alive;
    }

    @Override
    public void close() {
        nodes.values().forEach(DaemonNode::close);
        await().atMost(LATE).until(() -> endWhatIsLeft() == 0);
    }

    /** Perches and guards outlive their daemons; nothing of a test's homes is to outlive it. */
    private int endWhatIsLeft() {
        var left = ProcessHandle.allProcesses()
                .filter(process -> isOfUs(process.pid()))
                .toList();
        left.forEach(ProcessHandle::destroyForcibly);
        return left.size();
    }

    private boolean isOfUs(long pid) {
        var directory = Path.of("/proc/" + pid);
        try {
            var environment = Files.readString(directory.resolve("environ"), StandardCharsets.ISO_8859_1);
            var words = Files.readString(directory.resolve("cmdline"), StandardCharsets.ISO_8859_1);
            boolean agent = environment.contains("ROOST_HOME=" + scratch + "/");
            boolean guard = environment.contains("ROOST_GUARD=") && words.contains(scratch + "/");
            return (agent || guard) && DaemonFixture.alive(pid);
        } catch (IOException e) {
            return false; // ended
        }
    }
}
