package dev.roost.worktrees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.base.FaultPoints;
import dev.roost.config.EngineConfig;
import dev.roost.config.WorktreePolicy;
import dev.roost.model.Status;
import dev.roost.service.PruneRequest;
import dev.roost.worktrees.testing.WorktreeRunFixture;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A fault between the creation of a worktree and its record in the ledger. */
class WorktreeSetupProcessTest extends WorktreeRunFixture {

    private static final PruneRequest EVERYTHING =
            new PruneRequest(Duration.ZERO, OptionalLong.empty(), true, true, true, false);

    private final AtomicInteger faults = new AtomicInteger();

    @Override
    public EngineConfig config() {
        policy = new WorktreePolicy(
                new WorktreePolicy.SetupPolicy(Optional.of("echo prepared > prepared"), List.of("a.secret"), List.of()),
                Duration.ofMinutes(5),
                Optional.empty(),
                1 << 20,
                false);
        return super.config().with(new FaultPoints() {
            @Override
            public void before(List<Step> steps) {}

            @Override
            public void after(List<Step> steps) {
                if (steps.contains(Step.WORKTREE) && faults.getAndDecrement() > 0)
                    throw new IllegalStateException("cut short");
            }
        });
    }

    @Test
    void a_worktree_whose_creation_was_cut_short_still_gets_its_files_and_setup() throws Exception {
        Files.writeString(repo.resolve("a.secret"), "given\n");
        faults.set(1);
        var run = awaitEnd(script("cat a.secret prepared"));
        assertThat(run.status()).isEqualTo(Status.COMPLETED);
        assertThat(result(run)).isEqualTo("given\nprepared\n");
    }

    @Test
    void the_worktree_of_a_run_that_never_started_is_pruned_with_the_run() throws Exception {
        faults.set(1000);
        var run = script("echo never");
        var place = home.worktree(run.id());
        await().atMost(SOON).until(() -> Files.exists(place.resolve("a.txt")));
        service.stop(run, AS_OPERATOR);
        assertThat(awaitInspected(run).status()).isEqualTo(Status.CANCELED_BY_USER);
        service.maintenance().prune(EVERYTHING);
        assertThat(place).doesNotExist();
        assertThat(git(repo, "worktree", "list").lines()).hasSize(1);
    }
}
