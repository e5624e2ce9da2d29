package dev.roost.cluster.testing;

import static org.awaitility.Awaitility.await;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.Permissions;
import dev.roost.base.FaultPoints;
import dev.roost.cluster.db.ConnectionSource;
import dev.roost.cluster.db.DatabaseAddress;
import dev.roost.config.EngineConfig;
import dev.roost.config.WakePolicy;
import dev.roost.config.WorktreePolicy;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.model.Budget;
import dev.roost.model.Caller;
import dev.roost.model.Caps;
import dev.roost.model.Owner;
import dev.roost.testing.FileTrees;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Several machines in one JVM that share a ledger and a repository. */
public final class ClusterMachines implements AutoCloseable {

    public static final Owner PARENT = new Owner("claude:parent");
    public static final Caller OPERATOR = new Caller(new Owner("cli:operator"), true);
    public static final Duration SOON = Duration.ofSeconds(90);

    /** Behaves as Claude Code does, and keeps its conversation in the same place. */
    private static final String AGENT = """
            session=none
            resumed=no
            while [ $# -gt 0 ]; do
                case $1 in --session-id) session=$2 ;; --resume) session=$2; resumed=yes ;; esac
                shift
            done
            read -r prompt
            kept=$HOME/.claude/projects/$(pwd -P | sed 's/[^A-Za-z0-9]/-/g')
            say() { printf '{"type":"assistant","message":{"id":"%s","content":[{"type":"text","text":"%s"}],' "$1" "$1"
                    printf '"usage":{"input_tokens":100,"output_tokens":20}}}\\n'
                    printf '{"said":"%s"}\\n' "$1" >>"$kept/$session.jsonl"; }
            result() { printf '{"type":"result","subtype":"success","is_error":false,"result":"%s",' "$1"
                       printf '"usage":{"input_tokens":100,"output_tokens":20},"model_usage_since_last_result":{}}\\n'; }
            if [ $resumed = yes ]; then
                [ -f "$kept/$session.jsonl" ] || { echo "no conversation $session in $kept" >&2; exit 1; }
            else
                mkdir -p "$kept"
            fi
            printf '%s\\n' "$prompt" >>"$kept/$session.jsonl"
            echo "{\\"type\\":\\"system\\",\\"subtype\\":\\"init\\",\\"session_id\\":\\"$session\\",\\"model\\":\\"claude-test\\"}"
            """;

    public final Path root;
    final Path origin;
    final String address = SchemaDatabases.fresh();
    private final Map<String, ClusterMachine> machines = new LinkedHashMap<>();
    private String script = "say hello; result done";
    private Optional<String> checkpointRemote = Optional.empty();
    private FaultPoints faults = FaultPoints.NONE;

    ClusterMachines(Path root) throws IOException {
        this.root = root.toRealPath();
        this.origin = Files.createDirectories(this.root.resolve("origin"));
        git(origin, "init", "-q", "-b", "main");
        Files.writeString(origin.resolve("a.txt"), "one\n");
        Files.createDirectories(origin.resolve("sub"));
        Files.writeString(origin.resolve("sub/b.txt"), "two\n");
        git(origin, "add", "-A");
        git(origin, "commit", "-q", "-m", "first");
    }

    /** Sets the agent's script for later runs, after the usual beginning. */
    public ClusterMachines doing(String script) {
        this.script = script;
        return this;
    }

    /** Sets the remote of checkpoints for machines that are created later. */
    public ClusterMachines pushingTo(String remote) {
        checkpointRemote = Optional.of(remote);
        return this;
    }

    /** Injects faults on machines that are created or restarted later. */
    public ClusterMachines disturbedBy(FaultPoints faults) {
        this.faults = faults;
        return this;
    }

    public ClusterMachine machine(String name) throws IOException {
        return add(new ClusterMachine(this, name, 4, true));
    }

    /** A node that starts no runs itself. */
    public ClusterMachine front(String name, boolean withClone) throws IOException {
        return add(new ClusterMachine(this, name, 0, withClone));
    }

    private ClusterMachine add(ClusterMachine clusterMachine) {
        machines.put(clusterMachine.name, clusterMachine);
        return clusterMachine;
    }

    EngineConfig config() {
        var scripted = new EngineConfig.NamedAgent(
                new AgentProfile(
                        "scripted",
                        "claude",
                        List.of("sh", "-c", AGENT + script, "agent"),
                        Optional.empty(),
                        List.of(),
                        Permissions.SAFE,
                        Optional.empty(),
                        Map.of()),
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT));
        return new EngineConfig(Caps.NONE, 1, Budget.DEFAULT_MAX_OUTPUT)
                .with(Map.of("scripted", scripted))
                .with(new WakePolicy(
                        WakePolicy.Mode.HEADLESS, Duration.ZERO, 100, Duration.ofMillis(200), Duration.ofSeconds(1)))
                .with(new WorktreePolicy(
                        WorktreePolicy.SetupPolicy.NOTHING, Duration.ofMillis(500), checkpointRemote, 50L << 20, false))
                .with(faults);
    }

    /** The values of the query's first column. */
    public List<String> column(String sql) {
        return new ConnectionSource(DatabaseAddress.parse(address).source("a test", 0))
                .with(handle -> handle.select(sql).list(SqlConnection::text));
    }

    public void execute(String sql) {
        new ConnectionSource(DatabaseAddress.parse(address).source("a test", 0)).use(handle -> handle.execute(sql));
    }

    /** Moves the rows into the past, so that dead nodes are expired for the live ones, which renewed steadily. */
    public void graceIsOver() {
        for (var clusterMachine : machines.values()) {
            var fields = clusterMachine.isDead()
                    ? List.of("joined_at", "steady_since", "heard_at", "lease_until")
                    : List.of("joined_at", "steady_since");
            var moved = fields.stream()
                    .map(field -> "%s = %s - grace - interval '1 second'".formatted(field, field))
                    .collect(Collectors.joining(", "));
            execute("UPDATE node SET %s WHERE name = '%s'".formatted(moved, clusterMachine.name));
        }
    }

    public void signal(String name) throws IOException {
        Files.createFile(root.resolve(name));
    }

    public static String git(Path at, String... words) {
        return FileTrees.git(at, words).strip();
    }

    @Override
    public void close() {
        machines.values().forEach(ClusterMachine::die);
        await().atMost(SOON).until(() -> endWhatIsLeft() == 0);
    }

    /** Kills the processes of a lost machine, which a real loss would have ended. */
    private long endWhatIsLeft() {
        return ProcessHandle.allProcesses()
                .filter(process -> isOurs(process.pid()))
                .peek(ProcessHandle::destroyForcibly)
                .count();
    }

    private boolean isOurs(long pid) {
        try {
            return Files.readString(Path.of("/proc/%d/environ".formatted(pid)), StandardCharsets.ISO_8859_1)
                    .contains("ROOST_HOME=" + root + "/");
        } catch (IOException e) {
            return false; // ended
        }
    }
}
