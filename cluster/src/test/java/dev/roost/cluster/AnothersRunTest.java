package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.house.ManualClock;
import dev.roost.ledger.End;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.Letter;
import dev.roost.ledger.Letters;
import dev.roost.ledger.NewRuns;
import dev.roost.ledger.Position;
import dev.roost.ledger.Progress;
import dev.roost.ledger.Result;
import dev.roost.ledger.Run;
import dev.roost.ledger.Work;
import dev.roost.run.Caps;
import dev.roost.run.Evidence;
import dev.roost.run.Outcome;
import dev.roost.run.Owner;
import dev.roost.run.RunEvent;
import dev.roost.run.RunId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one node may write about a run that another has, or had. */
class AnothersRunTest {

    private final String address = Databases.fresh();
    private final Database database = new Database(Address.parse(address).source("a test", 0));
    private final ManualClock clock = new ManualClock();
    private final Ledger one = Postgres.open(address, "one", clock);
    private final Ledger two = Postgres.open(address, "two", clock);

    @BeforeEach
    void twoNodes() {
        for (var name : Set.of("one", "two")) {
            var leases = new Member.Leases(Duration.ofHours(1), Duration.ofHours(2));
            try (var lease = new Lease(database, new Member(name, name, "1", Set.of(), 1, 1, leases))) {
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

    /** Accepted and begun by the first. */
    private RunId running() {
        var run = NewRuns.of(new Owner("claude:one"), clock.now());
        one.submit(run, Caps.NONE);
        return one.claimNext(Caps.NONE).orElseThrow().id();
    }

    private void finish(RunId run) {
        assertThat(one.finish(
                        run,
                        1,
                        new End(
                                new RunEvent.Exited(new Outcome.Completed()),
                                clock.now(),
                                Evidence.none(),
                                new Result(Optional.of("done"), 4),
                                Progress.of(Position.START))))
                .isTrue();
    }

    private static Optional<Work.Place> place(String node) {
        var top = Path.of("/" + node);
        return Optional.of(new Work.Place(top.resolve("work"), top.resolve(".git"), "base", Optional.of("main"), top));
    }

    @Test
    void whoever_had_it_before_says_nothing_of_its_worktree_any_more() {
        var run = running();
        assertThat(one.works().moved(run, 1, Path.of("/one/work"), place("one")))
                .isTrue();
        one.works().made(run);
        one.works().checkpointed(run, 1, "refs/roost/x/1", 0);
        finish(run);
        two.continueAfter(run, 1, "operator", Optional.empty(), Position.START);
        assertThat(two.claimNext(Caps.NONE)).isPresent();
        assertThat(two.works().moved(run, 2, Path.of("/two/work"), place("two")))
                .isTrue();
        two.works().checkpointed(run, 2, "refs/roost/x/2", 0);
        var before = two.runs().find(run).orElseThrow().work();

        one.works().checkpointed(run, 3, "refs/roost/late/3", 7);
        one.works().landed(run, 1, "merged", "merged", "{}");
        one.works().pushed(run, 3);
        one.works().trouble(run, Optional.of("its disk is full"));
        one.works().removed(run);
        assertThat(one.works().moved(run, 1, Path.of("/late"), place("one"))).isFalse();

        assertThat(two.runs().find(run).orElseThrow().work()).isEqualTo(before);
        two.works().checkpointed(run, 4, "refs/roost/x/4", 0);
        assertThat(two.runs()
                        .find(run)
                        .orElseThrow()
                        .work()
                        .orElseThrow()
                        .rescue()
                        .orElseThrow()
                        .n())
                .as("whoever has it does")
                .isEqualTo(4);
    }

    @Test
    void what_time_it_is_says_the_database_whatever_the_clocks_of_nodes_say() {
        clock.advance(Duration.ofDays(3650));
        assertThat(Duration.between(one.time(), two.time()).abs()).isLessThan(Duration.ofMinutes(5));
        assertThat(Duration.between(one.time(), clock.now()).abs()).isGreaterThan(Duration.ofDays(1));
    }

    @Test
    void the_last_lines_of_a_run_whose_node_is_away_are_added_by_another() {
        var run = running();
        finish(run);
        assertThat(one.runs().unsealed()).extracting(Run::id).containsExactly(run);
        assertThat(two.runs().unsealed()).as("while it is there").isEmpty();

        theFirstIsAway();

        assertThat(two.runs().unsealed()).extracting(Run::id).containsExactly(run);
        two.sealed(run, 1);
        assertThat(one.runs().unsealed()).as("when it is back").isEmpty();
    }

    @Test
    void words_that_a_node_which_is_away_did_not_pass_on_are_passed_on_by_another() {
        var run = running();
        var words = new Letters.Words("and the tests", "operator", Optional.empty());
        assertThat(two.letters().post(run, 1, Letter.Kind.WORDS, Optional.empty(), words))
                .isPresent();
        finish(run);
        one.sealed(run, 1);
        assertThat(one.letters().withLateWords()).extracting(Run::id).containsExactly(run);
        assertThat(two.letters().withLateWords()).as("while it is there").isEmpty();

        theFirstIsAway();

        assertThat(two.letters().withLateWords()).extracting(Run::id).containsExactly(run);
        assertThat(two.continueAfter(run, 1, "operator", Optional.empty(), Position.START))
                .isPresent();
        assertThat(one.continueAfter(run, 1, "operator", Optional.empty(), Position.START))
                .as("only one of them")
                .isEmpty();
        assertThat(one.letters().withLateWords()).isEmpty();
    }
}
