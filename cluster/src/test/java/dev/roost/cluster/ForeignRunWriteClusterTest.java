package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cluster.db.ConnectionSource;
import dev.roost.cluster.db.DatabaseAddress;
import dev.roost.cluster.db.PostgresDatabase;
import dev.roost.cluster.testing.SchemaDatabases;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.MessageStore;
import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.SentMessage;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.ledger.testing.NewRunSamples;
import dev.roost.model.Caps;
import dev.roost.model.Evidence;
import dev.roost.model.Outcome;
import dev.roost.model.Owner;
import dev.roost.model.RunEvent;
import dev.roost.model.RunId;
import dev.roost.testing.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which writes a node may make about a run that another node has, or had. */
class ForeignRunWriteClusterTest {

    private final String address = SchemaDatabases.fresh();
    private final ConnectionSource database =
            new ConnectionSource(DatabaseAddress.parse(address).source("a test", 0));
    private final ManualClock clock = new ManualClock();
    private final Ledger one = PostgresDatabase.open(address, "one", clock);
    private final Ledger two = PostgresDatabase.open(address, "two", clock);

    @BeforeEach
    void twoNodes() {
        for (var name : Set.of("one", "two")) {
            var leases = new NodeIdentity.LeaseTimes(Duration.ofHours(1), Duration.ofHours(2));
            try (var lease = new Lease(database, new NodeIdentity(name, name, "1", Set.of(), 1, 1, leases))) {
                lease.join();
            }
        }
    }

    @AfterEach
    void close() {
        one.close();
        two.close();
    }

    private void theFirstIsAway() {
        database.use(handle -> handle.execute("UPDATE node SET lease_until = clock_timestamp() WHERE name = 'one'"));
    }

    /** Submitted and started by the first node. */
    private RunId running() {
        var run = NewRunSamples.of(new Owner("claude:one"), clock.now());
        one.submit(run, Caps.NONE);
        return one.claimNext(Caps.NONE).orElseThrow().id();
    }

    private void finish(RunId run) {
        assertThat(one.finish(
                        run,
                        1,
                        new AttemptEnd(
                                new RunEvent.Exited(new Outcome.Completed()),
                                clock.now(),
                                Evidence.none(),
                                new AttemptResult(Optional.of("done"), 4),
                                AttemptProgress.of(StreamPosition.START))))
                .isTrue();
    }

    private static Optional<WorktreeRecord.WorktreePlace> place(String node) {
        var top = Path.of("/" + node);
        return Optional.of(new WorktreeRecord.WorktreePlace(
                top.resolve("work"), top.resolve(".git"), "base", Optional.of("main"), top));
    }

    @Test
    void a_former_node_cannot_change_the_worktree_record() {
        var run = running();
        assertThat(one.worktrees().recordMoved(run, 1, Path.of("/one/work"), place("one")))
                .isTrue();
        one.worktrees().recordMade(run);
        one.worktrees().recordCheckpoint(run, 1, "refs/roost/x/1", 0);
        finish(run);
        two.continueAfter(run, 1, "operator", Optional.empty(), StreamPosition.START);
        assertThat(two.claimNext(Caps.NONE)).isPresent();
        assertThat(two.worktrees().recordMoved(run, 2, Path.of("/two/work"), place("two")))
                .isTrue();
        two.worktrees().recordCheckpoint(run, 2, "refs/roost/x/2", 0);
        var before = two.runs().find(run).orElseThrow().work();

        one.worktrees().recordCheckpoint(run, 3, "refs/roost/late/3", 7);
        one.worktrees().recordLanding(run, 1, "merged", "merged", "{}");
        one.worktrees().recordPushed(run, 3);
        one.worktrees().recordProblem(run, Optional.of("its disk is full"));
        one.worktrees().recordRemoved(run);
        assertThat(one.worktrees().recordMoved(run, 1, Path.of("/late"), place("one")))
                .isFalse();

        assertThat(two.runs().find(run).orElseThrow().work()).isEqualTo(before);
        two.worktrees().recordCheckpoint(run, 4, "refs/roost/x/4", 0);
        assertThat(two.runs()
                        .find(run)
                        .orElseThrow()
                        .work()
                        .orElseThrow()
                        .rescue()
                        .orElseThrow()
                        .n())
                .as("its own node may")
                .isEqualTo(4);
    }

    @Test
    void times_come_from_the_database_whatever_the_clocks_of_nodes_say() {
        clock.advance(Duration.ofDays(3650));
        assertThat(Duration.between(one.time(), two.time()).abs()).isLessThan(Duration.ofMinutes(5));
        assertThat(Duration.between(one.time(), clock.now()).abs()).isGreaterThan(Duration.ofDays(1));
    }

    @Test
    void another_node_finalizes_the_output_of_an_ended_run_whose_node_is_away() {
        var run = running();
        finish(run);
        assertThat(one.runs().withUnfinishedOutput()).extracting(RunRecord::id).containsExactly(run);
        assertThat(two.runs().withUnfinishedOutput())
                .as("while its node is alive")
                .isEmpty();

        theFirstIsAway();

        assertThat(two.runs().withUnfinishedOutput()).extracting(RunRecord::id).containsExactly(run);
        two.markOutputFinal(run, 1);
        assertThat(one.runs().withUnfinishedOutput())
                .as("after its node came back")
                .isEmpty();
    }

    @Test
    void another_node_delivers_messages_that_a_node_did_not_deliver_before_it_was_away() {
        var run = running();
        var words = new MessageStore.MessageText("and the tests", "operator", Optional.empty());
        assertThat(two.messages().post(run, 1, SentMessage.MessageKind.WORDS, Optional.empty(), words))
                .isPresent();
        finish(run);
        one.markOutputFinal(run, 1);
        assertThat(one.messages().runsWithLateMessages())
                .extracting(RunRecord::id)
                .containsExactly(run);
        assertThat(two.messages().runsWithLateMessages())
                .as("while its node is alive")
                .isEmpty();

        theFirstIsAway();

        assertThat(two.messages().runsWithLateMessages())
                .extracting(RunRecord::id)
                .containsExactly(run);
        assertThat(two.continueAfter(run, 1, "operator", Optional.empty(), StreamPosition.START))
                .isPresent();
        assertThat(one.continueAfter(run, 1, "operator", Optional.empty(), StreamPosition.START))
                .as("only one node wins")
                .isEmpty();
        assertThat(one.messages().runsWithLateMessages()).isEmpty();
    }
}
