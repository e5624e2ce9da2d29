package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cluster.db.ConnectionSource;
import dev.roost.cluster.db.DatabaseAddress;
import dev.roost.cluster.db.PostgresDatabase;
import dev.roost.cluster.testing.SchemaDatabases;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.model.Caps;
import dev.roost.testing.ManualClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which rows are considered for placement: with two live nodes and one that is away. */
class RunPlacerClusterTest {

    private static final int MANY = 70; // more than are looked at of one kind

    private final String address = SchemaDatabases.fresh();
    private final ConnectionSource database =
            new ConnectionSource(DatabaseAddress.parse(address).source("a test", 0));
    private final ManualClock clock = new ManualClock();
    private final Ledger ledger = PostgresDatabase.open(address, "one", clock);
    private final RunPlacer placer = new RunPlacer(ledger, clock, "one");

    @BeforeEach
    void threeNodes() {
        database.use(handle -> handle.execute("""
                INSERT INTO node (name, home, boot, version, labels, max_live, state, joined_at, heard_at, steady_since,
                                  lease_until, grace)
                SELECT name, name, 'boot', '1', ARRAY['agent:command', 'node:' || name], 4, 'member', heard, heard, heard,
                       heard + interval '1 hour', interval '30 seconds'
                  FROM (VALUES ('one', clock_timestamp()), ('two', clock_timestamp()),
                               ('away', clock_timestamp() - interval '1 day')) AS given (name, heard)
                """));
    }

    @AfterEach
    void close() {
        ledger.close();
    }

    /** Queues further runs of one owner, each younger than all before. */
    private void queued(int count, String node, String holder, String phase, String parkedUntil) {
        database.use(handle -> {
            int before = handle.select("SELECT count(*) FROM run").one(SqlConnection::count);
            handle.execute("""
                    INSERT INTO run (id, owner, agent, driver, description, cwd, max_output, on_loss, attempt, created_at, holder)
                    SELECT 'r_' || lpad((? + i)::text, 12, '0'), 'claude:one', 'command', 'command', 'a', '/', 1000, 'report', 1,
                           ? + i, ? FROM generate_series(1, ?) AS i
                    """, before, before, holder, count);
            handle.execute("""
                    INSERT INTO attempt (run_id, n, status, phase, created_at, parked_until)
                    SELECT id, 1, 'queued', ?, created_at, %s FROM run WHERE created_at > ?
                    """.formatted(parkedUntil), phase, before);
            handle.execute("""
                    INSERT INTO job (run_id, attempt, needs, wish)
                    SELECT id, 1, ARRAY['agent:command'] || ?::text[], '{}' FROM run WHERE created_at > ?
                    """, node.isEmpty() ? "{}" : "{node:%s}".formatted(node), before);
        });
    }

    private void queued(int count, String node, String holder) {
        queued(count, node, holder, "waiting_for_slot", "NULL");
    }

    private List<String> placed() {
        return placer.place(Caps.NONE).stream().map(Placement.PlacedRun::node).toList();
    }

    @Test
    void runs_waiting_for_an_absent_node_do_not_block_others() {
        queued(MANY, "away", "");
        queued(1, "two", "");
        assertThat(placed()).containsExactly("two");
    }

    @Test
    void runs_waiting_for_a_full_node_do_not_block_others() {
        queued(MANY, "one", "");
        queued(MANY, "", "one");
        queued(1, "two", "");
        assertThat(placed()).containsExactlyInAnyOrder("one", "one", "one", "one", "two");
        queued(1, "two", "");
        assertThat(placed()).containsExactly("two");
    }

    @Test
    void clock_skew_of_nodes_starts_no_run_early_or_late() {
        String inAnHour = "extract(epoch FROM clock_timestamp() + interval '1 hour') * 1000";
        queued(1, "one", "", "parked", inAnHour);
        clock.advance(Duration.ofDays(3650));
        assertThat(placer.hasWork()).isFalse();

        queued(1, "two", "");
        assertThat(placer.hasWork()).isTrue();
        assertThat(placed()).containsExactly("two");
        assertThat(database.<String, RuntimeException>with(
                        handle -> handle.select("""
                        SELECT task_instance FROM scheduled_tasks WHERE execution_time < clock_timestamp() - interval '1 hour'
                        """).one(SqlConnection::text)))
                .startsWith("two/");
    }
}
