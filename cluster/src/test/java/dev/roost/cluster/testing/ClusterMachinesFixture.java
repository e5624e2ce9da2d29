package dev.roost.cluster.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.base.Broken;
import dev.roost.cluster.db.DatabaseAddress;
import dev.roost.cluster.files.PostgresFileStore;
import dev.roost.cluster.files.SharedFileInput;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.node.SharedFileName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Machines that share a ledger and files. They end with their test. */
public abstract class ClusterMachinesFixture {

    @TempDir
    Path scratch;

    public ClusterMachines clusterMachines;

    @BeforeEach
    void setUp() throws IOException {
        clusterMachines = new ClusterMachines(scratch);
    }

    @AfterEach
    void endAll() {
        clusterMachines.close();
    }

    public static String node(RunRecord run) {
        return run.latest().node().orElse("");
    }

    public void awaitSaid(RunRecord run, String text) {
        await().atMost(ClusterMachines.SOON)
                .untilAsserted(() ->
                        assertThat(onShelf(run, SharedFileName.CONVERSATION)).contains(text));
    }

    /** Waits until a checkpoint with this file is shared. */
    public void awaitWork(ClusterMachine any, RunRecord run, String file) {
        await().atMost(ClusterMachines.SOON).untilAsserted(() -> {
            var worktree = any.show(run).work().orElseThrow();
            var ref = worktree.rescue().map(WorktreeRecord.CheckpointState::ref).orElse("HEAD");
            assertThat(ClusterMachines.git(worktree.place().common(), "ls-tree", "-r", "--name-only", ref))
                    .contains(file);
            assertThat(onShelf(run, SharedFileName.WORK))
                    .contains(ClusterMachines.git(worktree.place().common(), "rev-parse", ref));
        });
    }

    private PostgresFileStore shelf() {
        return new PostgresFileStore(
                DatabaseAddress.parse(clusterMachines.address).source("a test", 0));
    }

    /** Its content as text; empty if there is no such file. Reads again if it is replaced meanwhile. */
    public String onShelf(RunRecord run, SharedFileName name) {
        return await().ignoreExceptionsInstanceOf(Broken.class).until(() -> readOnce(run, name), read -> true);
    }

    private String readOnce(RunRecord run, SharedFileName name) throws IOException {
        var kept = shelf().find(run.id(), name);
        if (kept.isEmpty()) return "";
        try (var in = new SharedFileInput(shelf(), run.id(), kept.get())) {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    public RunRecord awaitRunning(ClusterMachine clusterMachine, RunRecord run) {
        await().atMost(ClusterMachines.SOON)
                .until(() -> clusterMachine.show(run).latest().began().isPresent());
        return clusterMachine.show(run);
    }
}
