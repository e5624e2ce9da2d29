package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cluster.testing.ClusterMachine;
import dev.roost.cluster.testing.ClusterMachines;
import dev.roost.cluster.testing.TwoMachineFixture;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.RunId;
import dev.roost.service.PruneRequest;
import dev.roost.service.PruneResult;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Each node prunes its own runs, and nothing of a pruned run is left on any node. */
class RunPrunerClusterTest extends TwoMachineFixture {

    private RunRecord on(ClusterMachine clusterMachine, String script, boolean worktree) {
        return one.awaitEnd(one.start("command", sh(script), one.clone, worktree, "at-" + clusterMachine.name));
    }

    private static PruneResult prune(ClusterMachine clusterMachine, boolean unmerged) {
        return clusterMachine
                .service
                .maintenance()
                .prune(new PruneRequest(Duration.ZERO, OptionalLong.empty(), true, unmerged, true, false));
    }

    private static List<RunId> ids(List<RunRecord> runs) {
        return runs.stream().map(RunRecord::id).toList();
    }

    @Test
    void pruning_leaves_nothing_of_a_run_and_lists_the_runs_of_other_nodes() throws IOException {
        var here = on(one, "echo a lot", false);
        var there = on(two, "echo as much", false);
        var changed = on(two, "echo changed >a.txt", true);
        await().atMost(ClusterMachines.SOON).until(() -> count("shelf_run") == 3 && count("attempt_ended") == 3);

        var first = prune(one, false);

        assertThat(ids(first.runs())).containsExactly(here.id());
        assertThat(first.elsewhere()).containsExactly(new PruneResult.RemoteRuns("two", 2, true));
        for (var table : List.of("shelf_run", "job", "event", "attempt", "notice", "shelf_stream"))
            assertThat(count(table + " WHERE run_id = '%s'".formatted(here.id())))
                    .as(table)
                    .isZero();
        assertThat(one.said(there)).contains("as much");

        two.die();
        unheard("two");
        var second = prune(one, true);
        assertThat(second.runs()).isEmpty();
        assertThat(second.elsewhere()).containsExactly(new PruneResult.RemoteRuns("two", 2, false));

        one.service.nodes().forget("two");
        var third = prune(one, false);
        assertThat(ids(third.runs())).containsExactly(there.id());
        assertThat(third.left())
                .singleElement()
                .satisfies(left -> assertThat(left.why()).contains("on two, a forgotten node", "roost restore"));
        assertThat(ids(prune(one, true).runs())).containsExactly(changed.id());
        assertThat(count("run") + count("attempt") + count("job") + count("shelf_run") + count("shelf_chunk"))
                .isZero();
    }

    @Test
    void the_next_pruning_deletes_the_files_of_an_interrupted_one() {
        var run = on(one, "echo a lot", false);
        await().atMost(ClusterMachines.SOON)
                .until(() -> count("shelf_chunk") > 0 && count("attempt WHERE output_sealed = 0") == 0);
        clusterMachines.execute("DELETE FROM run WHERE id = '%s'".formatted(run.id()));
        assertThat(count("job")).isZero();

        prune(two, false);

        assertThat(count("shelf_run") + count("shelf_chunk")).isZero();
    }
}
