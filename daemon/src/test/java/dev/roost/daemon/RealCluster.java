package dev.roost.daemon;

import static org.awaitility.Awaitility.await;

import dev.roost.cluster.RealPostgres;
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
final class RealCluster implements AutoCloseable {

    static final int LEASE_SECONDS = 3;
    static final int GRACE_SECONDS = 7;
    static final Duration LATE = Duration.ofSeconds(60);

    final Path scratch;
    final String url;
    final Map<String, RealNode> nodes = new HashMap<>();
    private final Limits limits;
    private final int grace;

    /** How many may run for one owner, on one worker, and on all. */
    record Limits(int owner, int node, int all) {}

    RealCluster(Path scratch, String url, Limits limits) {
        this(scratch, url, limits, GRACE_SECONDS);
    }

    RealCluster(Path scratch, String url, Limits limits, int grace) {
        this.scratch = scratch;
        this.url = url;
        this.limits = limits;
        this.grace = grace;
    }

    RealNode front() throws IOException {
        return join("front", url, false, List.of());
    }

    RealNode worker(String name) throws IOException {
        return join(name, url, true, List.of());
    }

    RealNode join(String name, String ledger, boolean worker, List<String> prefix) throws IOException {
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
        var node = new RealNode(scratch, name, toml, prefix);
        nodes.put(name, node);
        return node;
    }

    ObjectNode task(String owner, String script) {
        var params = RealDaemon.JSON.createObjectNode().put("caller", owner).put("cwd", scratch.toString());
        params.putObject("env").put("PATH", System.getenv("PATH")).put("SCRATCH", scratch.toString());
        params.putArray("argv").add("sh").add("-c").add(script);
        return params;
    }

    static ObjectNode operator() {
        return RealDaemon.JSON.createObjectNode().put("caller", "cli:operator").put("operator", true);
    }

    /** Rows as they are, asked for again while the database is away. */
    List<List<String>> rows(String sql) {
        var found = new ArrayList<List<String>>();
        await().atMost(LATE).pollInterval(Duration.ofMillis(20)).until(() -> {
            found.clear();
            try (var connection = RealPostgres.connect(url)) {
                found.addAll(rows(connection, sql));
                return true;
            } catch (SQLException e) {
                if (e.getSQLState() != null && e.getSQLState().startsWith("42")) throw e; // our own mistake
                return false;
            }
        });
        return found;
    }

    static List<List<String>> rows(java.sql.Connection connection, String sql) throws SQLException {
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

    void execute(String sql) throws SQLException {
        try (var connection = RealPostgres.connect(url);
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    List<String> column(String sql) {
        return rows(sql).stream().map(List::getFirst).toList();
    }

    int count(String sql) {
        return Integer.parseInt(column(sql).getFirst());
    }

    List<String> runningOn(RealNode node) {
        return column("SELECT run_id FROM attempt WHERE status = 'running' AND node = '%s'".formatted(node.name));
    }

    /** Agents that live without a live attempt on the node whose home they are of. */
    Set<String> strays() throws IOException {
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
        nodes.values().forEach(RealNode::close);
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
            return (agent || guard) && RealDaemon.alive(pid);
        } catch (IOException e) {
            return false; // gone
        }
    }
}
