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

/** Where the code of a run is, and how far it got. */
interface WorktreeStoreContract extends LedgerFixture {

    private RunId inWorktree() {
        var plain = aRun();
        var place = new WorktreeRecord.WorktreePlace(
                Path.of("/worktrees/one"), Path.of("/repo/.git"), "abc", Optional.of("main"), Path.of("/repo"));
        submit(but(plain, plain.notifyMode(), plain.callKey(), Optional.of(place)));
        return ledger().claimNext(Caps.NONE).orElseThrow().id();
    }

    @Test
    default void where_a_runs_code_is_comes_with_the_run_and_is_looked_for_until_it_is_found() {
        var run = inWorktree();
        assertThat(find(run).work().orElseThrow().madeAt()).isEmpty();
        ledger().worktrees().recordMade(run);
        ledger().worktrees().recordCheckpoint(run, 2, "refs/roost/x/2", 3);
        assertThat(ledger().worktrees().uninspected()).as("it is still at work").isEmpty();
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
    default void who_begins_an_attempt_says_where_its_place_is_and_nobody_else_does() {
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
        assertThat(worktree.isThere()).as("it is not made here yet").isFalse();
        assertThat(worktree.rescue().orElseThrow().n()).isEqualTo(2);
        ledger().worktrees().recordMade(run);
        assertThat(find(run).work().orElseThrow().isThere()).isTrue();

        ledger().finish(run, 1, end(SUCCESS));
        assertThat(ledger().worktrees().recordMoved(run, 1, Path.of("/late"), Optional.empty()))
                .as("it is over")
                .isFalse();
        assertThat(find(run).cwd()).isEqualTo(Path.of("/there/work/sub"));
    }

    @Test
    default void a_run_that_had_no_place_of_its_own_gets_one_where_it_begins() {
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
