package dev.roost.cluster.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cluster.testing.ClusterMachine;
import dev.roost.cluster.testing.ClusterMachines;
import dev.roost.cluster.testing.TwoMachineFixture;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.RunRecord;
import dev.roost.node.SharedFileName;
import dev.roost.output.OutputPage;
import dev.roost.rescue.LostAgent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Files that a run left on one node are readable on every other. */
class NodeFilesClusterTest extends TwoMachineFixture {

    private static LostAgent lost(String text) {
        return new LostAgent(
                LostAgent.Tool.CLAUDE,
                LostAgent.Kind.AGENT,
                "agent-1",
                "session-1",
                Optional.empty(),
                "look around",
                Optional.empty(),
                Instant.parse("2026-01-01T00:00:00Z"),
                Instant.parse("2026-01-01T00:10:00Z"),
                LostAgent.State.FINISHED,
                text,
                Optional.empty(),
                "nobody heard it",
                Path.of("/transcript"));
    }

    private static Path resultFile(ClusterMachine clusterMachine, RunRecord run) {
        var request = new OutputPage.Request(Optional.empty(), 0, OutputPage.WaitMode.END, ClusterMachines.SOON);
        return clusterMachine
                .service
                .output(clusterMachine.show(run), request)
                .resultFile()
                .orElseThrow();
    }

    @Test
    void a_result_that_is_too_long_for_the_ledger_is_read_on_every_node() throws IOException {
        var script = "yes a long story | head -c 2000000 > $ROOST_RESULT_FILE; echo done";
        var run = one.start("command", sh(script), one.clone, false, "at-one");

        var there = resultFile(two, run);

        assertThat(there).startsWith(two.home.root()).hasSize(2_000_000);
        assertThat(Files.mismatch(there, resultFile(one, run))).isEqualTo(-1);
    }

    @Test
    void a_rescued_agent_of_one_machine_is_readable_on_the_others() {
        var run = one.service.rescueImporter().importRun(lost("The answer is 42."), Map.of());
        assertThat(two.said(run)).startsWith("The answer is 42.\n");
    }

    @Test
    void a_rescued_result_too_long_for_the_ledger_is_readable_on_other_nodes() {
        var text = "so ".repeat(AttemptResult.LEDGER_LIMIT);
        var run = one.service.rescueImporter().importRun(lost(text), Map.of());
        assertThat(resultFile(two, run)).hasContent(text);
    }

    @Test
    void finalizing_the_output_later_does_not_change_what_is_already_shared() {
        clusterMachines.doing("say hello; result done");
        one.die();
        one.comeBack();
        var run = one.awaitEnd(one.start("scripted", sh("true").asPrompt(), one.clone, false, "at-one"));
        awaitSealed();
        var shared = onShelf(run, SharedFileName.TRANSCRIPT);
        assertThat(shared).contains("hello");

        clusterMachines.execute("UPDATE attempt SET output_sealed = 0");
        awaitSealed();

        assertThat(onShelf(run, SharedFileName.TRANSCRIPT)).isEqualTo(shared);
        assertThat(clusterMachines.column(
                        "SELECT version FROM shelf_stream WHERE name = '%s'".formatted(SharedFileName.TRANSCRIPT)))
                .as("nothing was truncated and sent again")
                .containsExactly("1");
    }

    private void awaitSealed() {
        await().atMost(ClusterMachines.SOON).until(() -> count("attempt WHERE output_sealed = 0") == 0);
    }
}
