package dev.roost.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.Permissions;
import dev.roost.agents.Task;
import dev.roost.attempt.testing.QueuedRunFixture;
import dev.roost.base.ErrorCode;
import dev.roost.base.FaultPoints;
import dev.roost.base.RoostError;
import dev.roost.config.EngineConfig;
import dev.roost.config.ProjectLookup;
import dev.roost.engine.StartRequest;
import dev.roost.home.RunDirectory;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.SqliteLedger;
import dev.roost.ledger.record.LedgerMetrics;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Budget;
import dev.roost.model.Cause;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.node.AttemptControl;
import dev.roost.node.AttemptOrder;
import dev.roost.node.Cluster;
import dev.roost.node.SingleNode;
import dev.roost.service.RoostService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A full disk delays writes, but loses no run and leaks no file descriptor. */
class FullDiskProcessTest extends QueuedRunFixture {

    private static final String FAILS = """
            echo '{"type":"error","sessionID":"s1","error":{"name":"Broken","data":{"message":"it fell apart"}}}'; exit 1
            """;

    private final AtomicInteger endsToRefuse = new AtomicInteger();
    private volatile boolean full;

    @Override
    public EngineConfig config() {
        var fails = new AgentProfile(
                "fails",
                "opencode",
                List.of("sh", "-c", FAILS, "agent"),
                Optional.empty(),
                List.of(),
                Permissions.SAFE,
                Optional.empty(),
                Map.of());
        var agents = Map.of("fails", new EngineConfig.NamedAgent(fails, Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT)));
        return super.config().with(agents).with(new FaultPoints() {
            @Override
            public void before(List<Step> steps) {
                boolean end = steps.contains(Step.FINISH) && endsToRefuse.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
                if (full || end) throw new IllegalStateException("[SQLITE_FULL] as SQLite says it");
            }

            @Override
            public void after(List<Step> steps) {}

            @Override
            public void before(Step step) {} // a step that is not a commit
        });
    }

    @AfterEach
    void freeDisk() {
        full = false;
    }

    private RoostService openAmong(Function<Ledger, SingleNode> nodes) {
        var ledger = SqliteLedger.open(home.ledger(), clock());
        var node = nodes.apply(ledger);
        var cluster = new Cluster(node, node, node, node);
        return RoostService.open(home, config(), ProjectLookup.NONE, clock(), LedgerMetrics.NONE, ledger, cluster);
    }

    /** The open files of the home, and the kernel's watch descriptors. */
    private List<String> openDescriptors() throws IOException {
        var openDescriptors = new ArrayList<String>();
        try (var descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (var descriptor : descriptors) {
                try {
                    openDescriptors.add(Files.readSymbolicLink(descriptor).toString());
                } catch (NoSuchFileException e) {
                    // closed meanwhile
                }
            }
        }
        openDescriptors.removeIf(file -> !file.startsWith("anon_inode:") && !file.startsWith(home.runs() + "/"));
        return openDescriptors;
    }

    @Test
    void a_restarted_daemon_supervises_a_live_run_even_if_the_ledger_is_full() throws IOException {
        var run = sh("sleep 1000");
        awaitBegun(run);
        service.close();
        full = true;

        service = open();

        assertThat(service.liveCount()).isEqualTo(1);
        full = false;
        assertThat(service.stop(show(run), AS_PARENT).status()).isEqualTo(Status.CANCELED_BY_USER);
    }

    @Test
    void a_daemon_starts_with_a_full_disk_and_a_queued_run_starts_once_there_is_room() throws IOException {
        service.close();
        var run = row("echo", "ran");
        full = true;

        service = open();

        assertThat(show(run).status()).isEqualTo(Status.QUEUED);
        full = false;
        service.sweep();
        assertThat(result(awaitEnd(show(run)))).isEqualTo("ran\n");
    }

    @Test
    void a_daemon_that_fails_to_start_releases_all_its_runs_and_files() throws IOException {
        var run = sh("sleep 1000");
        awaitBegun(run);
        service.close();
        var before = openDescriptors();

        assertThatThrownBy(() -> openAmong(ledger -> new SingleNode(home, ledger, config().faults()) {
                    @Override
                    public void join(AttemptControl attempts) {
                        assertThat(attempts.count()).isEqualTo(1);
                        throw ErrorCode.NO_CLUSTER.error("No node may join.", "Wait.");
                    }
                }))
                .hasMessageContaining("No node may join");

        assertThat(openDescriptors()).containsExactlyInAnyOrderElementsOf(before);
        service = open();
        assertThat(show(run).status()).isEqualTo(Status.RUNNING);
        assertThat(service.liveCount()).isEqualTo(1);
    }

    @Test
    void the_error_of_an_agent_is_recorded_once_however_often_its_end_is_retried() throws IOException {
        endsToRefuse.set(3);
        var run = service.start(new StartRequest(
                PARENT,
                "fails",
                new Task(List.of(), Optional.of("do it")),
                Optional.empty(),
                Optional.empty(),
                scratch,
                Map.of("PATH", System.getenv("PATH")),
                "022",
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                Optional.empty(),
                StartRequest.Origin.UNKNOWN));

        assertThat(awaitEnd(run).latest().cause()).contains(Cause.AGENT_ERROR);

        assertThat(endsToRefuse).hasValue(0);
        assertThat(service.outputFile(run)).content().containsOnlyOnce("it fell apart");
        assertThat(service.transcript(run)).content().containsOnlyOnce("it fell apart");
    }

    private static RoostError notHere() {
        return ErrorCode.NO_NODE_FOR_IT.error("This node cannot run it.", "Use another node.");
    }

    private final AtomicInteger tries = new AtomicInteger();

    /** Opens Roost as a node of a cluster that gets start orders from {@code orders}. */
    private void openWithOrders(Supplier<Optional<AttemptOrder>> orders) {
        service = openAmong(ledger -> new SingleNode(home, ledger, config().faults()) {
            @Override
            public boolean holds(RunRecord run) {
                return false;
            }

            @Override
            public Optional<AttemptOrder> get(RunId run, int attempt) {
                tries.incrementAndGet();
                return orders.get();
            }
        });
    }

    private void tryUntil(BooleanSupplier enough) {
        await().atMost(SOON).until(() -> {
            service.sweep();
            return enough.getAsBoolean();
        });
    }

    @Test
    void a_run_on_a_node_with_a_full_disk_waits_until_there_is_room() throws IOException {
        service.close();
        var run = claimedWithoutFiles();
        var hasSpace = new AtomicBoolean();
        openWithOrders(() -> {
            if (hasSpace.get()) throw notHere();
            throw new UncheckedIOException(new FileSystemException("runs", null, "No space left on device"));
        });

        tryUntil(() -> tries.get() > 40);

        assertThat(show(run).status()).isEqualTo(Status.RUNNING);
        hasSpace.set(true);
        service.sweep();
        assertThat(awaitEnd(show(run)).latest().evidence().orElseThrow().note().orElseThrow())
                .contains("This node cannot run it");
    }

    @Test
    void a_run_without_a_start_order_fails_as_not_started() throws IOException {
        service.close();
        var run = claimedWithoutFiles();
        openWithOrders(Optional::empty);

        tryUntil(() -> show(run).status().ended());

        assertThat(show(run).status()).isEqualTo(Status.FAILED);
        assertThat(show(run).latest().cause()).contains(Cause.SPAWN_FAILED);
    }

    /** Makes a claimed run without an attempt directory, as a node has it that another node gave the run. */
    private RunId claimedWithoutFiles() throws IOException {
        var run = row("echo", "ran");
        claim();
        new RunDirectory(home.run(run).attempt(1).path()).delete();
        return run;
    }

    @Test
    void a_refusal_that_cannot_be_committed_on_a_full_disk_keeps_no_file_open() throws IOException {
        service.close();
        var run = claimedWithoutFiles();
        full = true;
        openWithOrders(() -> {
            throw notHere();
        });

        tryUntil(() -> tries.get() > 5);

        await().atMost(SOON).untilAsserted(() -> assertThat(openDescriptors()).noneMatch(file -> file.startsWith("/")));
        full = false;
        service.sweep();
        assertThat(awaitEnd(show(run)).status()).isEqualTo(Status.FAILED);
    }
}
