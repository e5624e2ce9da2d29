package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.ledger.testing.LedgerFixture;
import dev.roost.model.Caps;
import dev.roost.model.RunId;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The place of a run's worktree, and how far its code got. */
interface WorktreeStoreContract extends LedgerFixture {

    private RunId inWorktree() {
        var plain = aRun();
        var place = new WorktreeRecord.WorktreePlace(
                Path.of("/worktrees/one"), Path.of("/repo/.git"), "abc", Optional.of("main"), Path.of("/repo"));
        submit(withTerms(plain, plain.notifyMode(), plain.callKey(), Optional.of(place)));
        return ledger().claimNext(Caps.NONE).orElseThrow().id();
    }

    @Test
    default void a_worktree_is_read_with_its_run_and_is_uninspected_until_its_landing_is_recorded() {
        var run = inWorktree();
        assertThat(find(run).work().orElseThrow().madeAt()).isEmpty();
        ledger().worktrees().recordMade(run);
        ledger().worktrees().recordCheckpoint(run, 2, "refs/roost/x/2", 3);
        assertThat(ledger().worktrees().uninspected())
                .as("the run is still live")
                .isEmpty();
        ledger().finish(run, 1, end(SUCCESS));
        assertThat(ledger().worktrees().uninspected()).extracting(RunRecord::id).containsExactly(run);

        ledger().worktrees().recordLanding(run, 1, "committed", "committed, 1 ahead", "{}");
        ledger().worktrees().recordRemoved(run);
        reopen();

        assertThat(ledger().worktrees().uninspected()).isEmpty();
        var worktree = find(run).work().orElseThrow();
        assertThat(worktree.rescue())
                .contains(new WorktreeRecord.CheckpointState(2, "refs/roost/x/2", clock().now(), 3));
        assertThat(worktree.landing().orElseThrow().stage()).isEqualTo("committed");
        assertThat(worktree.removedAt()).isPresent();
        assertThat(worktree.place().target()).contains("main");
    }

    @Test
    default void only_the_node_of_the_latest_attempt_records_a_new_place() {
        var run = inWorktree();
        ledger().worktrees().recordMade(run);
        ledger().worktrees().recordCheckpoint(run, 2, "refs/roost/x/2", 3);
        var there = new WorktreeRecord.WorktreePlace(
                Path.of("/there/work"), Path.of("/there/.git"), "base", Optional.of("main"), Path.of("/there"));
        assertThat(ledger().worktrees().recordMoved(run, 2, Path.of("/late"), Optional.of(there)))
                .as("there is no such attempt")
                .isFalse();
        assertThat(find(run).cwd()).isNotEqualTo(Path.of("/late"));
        assertThat(ledger().worktrees().recordMoved(run, 1, Path.of("/there/work/sub"), Optional.of(there)))
                .isTrue();
        reopen();
        assertThat(find(run).cwd()).isEqualTo(Path.of("/there/work/sub"));
        var worktree = find(run).work().orElseThrow();
        assertThat(worktree.place()).isEqualTo(there);
        assertThat(worktree.isThere()).as("not created here yet").isFalse();
        assertThat(worktree.rescue().orElseThrow().n()).isEqualTo(2);
        ledger().worktrees().recordMade(run);
        assertThat(find(run).work().orElseThrow().isThere()).isTrue();

        ledger().finish(run, 1, end(SUCCESS));
        assertThat(ledger().worktrees().recordMoved(run, 1, Path.of("/late"), Optional.empty()))
                .as("the attempt has ended")
                .isFalse();
        assertThat(find(run).cwd()).isEqualTo(Path.of("/there/work/sub"));
    }

    @Test
    default void a_run_without_a_worktree_gets_one_at_its_new_place() {
        var run = submit(aRun()).id();
        ledger().claimNext(Caps.NONE);
        var there = new WorktreeRecord.WorktreePlace(
                Path.of("/there/work"), Path.of("/there/.git"), "base", Optional.empty(), Path.of("/there"));
        assertThat(ledger().worktrees().recordMoved(run, 1, Path.of("/there/work"), Optional.of(there)))
                .isTrue();
        assertThat(find(run).work().orElseThrow().place()).isEqualTo(there);
        assertThat(find(run).work().orElseThrow().madeAt()).isEmpty();
    }
}
