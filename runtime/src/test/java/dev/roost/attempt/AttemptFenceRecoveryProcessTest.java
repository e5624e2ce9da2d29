package dev.roost.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.model.Cause;
import dev.roost.model.Status;
import dev.roost.node.AttemptFence;
import dev.roost.os.Processes;
import dev.roost.process.Cgroups;
import dev.roost.process.PerchLauncher;
import dev.roost.service.RealProcessFixture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A restarted daemon knows that its guard killed the agents. */
@Tag("portable")
class AttemptFenceRecoveryProcessTest extends RealProcessFixture {

    private static final String WHY = "the daemon was away";

    @Test
    void a_run_fenced_without_a_daemon_is_lost_with_the_fence_as_evidence() throws Exception {
        var run = sh("trap 'echo bye; exit 0' TERM; while :; do sleep 0.1; done");
        var agent = agent(run);
        service.close();
        var outcome = new AttemptFence(home, new PerchLauncher(home, Cgroups.none()), clock()).end(run.id(), 1, WHY);
        assertThat(outcome.isDone()).isTrue();
        assertThat(Processes.alive(agent)).isFalse();
        service = open();
        var ended = awaitEnd(run);
        assertThat(ended.status()).isEqualTo(Status.ABANDONED);
        assertThat(ended.latest().evidence().orElseThrow().note().orElseThrow()).contains(WHY);
        assertThat(ended.latest().cause()).contains(Cause.PERCH_LOST);
        assertThat(service.maintenance().examine(false))
                .filteredOn(finding -> finding.what().equals("fenced"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.message()).contains(run.id() + "/1", WHY));
    }
}
