package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cluster.db.ConnectionSource;
import dev.roost.cluster.db.DatabaseAddress;
import dev.roost.cluster.db.PostgresDatabase;
import dev.roost.cluster.testing.SchemaDatabases;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.record.Delivery;
import dev.roost.testing.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which node sends the deliveries of a node that is away. */
class NoticeDeliveryClusterTest {

    private static final String CHANNEL = "webhook";
    private static final int NOTICES = 8;

    private final String address = SchemaDatabases.fresh();
    private final ConnectionSource database =
            new ConnectionSource(DatabaseAddress.parse(address).source("a test", 0));
    private final ManualClock clock = new ManualClock();
    private final List<Ledger> ledgers = new ArrayList<>();

    @BeforeEach
    void threeNodesAndWhatTheFirstWasToSend() {
        for (var name : List.of("one", "two", "three")) {
            var leases = new NodeIdentity.LeaseTimes(Duration.ofHours(1), Duration.ofHours(2));
            try (var lease = new Lease(database, new NodeIdentity(name, name, "1", Set.of(), 1, 1, leases))) {
                lease.join();
            }
            ledgers.add(PostgresDatabase.open(address, name, clock));
        }
        database.use(handle -> {
            handle.execute("INSERT INTO pause (node, kind, began_at, ended_at) VALUES ('one', 'sleep', 1000, 2000)");
            handle.execute("""
                    INSERT INTO notice (pause, kind, sequence, owner, created_at)
                    SELECT pause.id, 'pause', 1, 'claude:' || i, 3000 FROM pause, generate_series(1, ?) AS i
                    """, NOTICES);
            handle.execute("""
                    INSERT INTO delivery (notice, channel, node, tries, next_at) SELECT id, ?, 'one', 0, 3000 FROM notice
                    """, CHANNEL);
        });
    }

    @AfterEach
    void close() {
        ledgers.forEach(Ledger::close);
    }

    private List<Delivery> open(int ledger) {
        return ledgers.get(ledger).deliveries().pending(CHANNEL, NOTICES);
    }

    private void away(String node) {
        database.use(handle -> handle.execute("UPDATE node SET lease_until = clock_timestamp() WHERE name = ?", node));
    }

    @Test
    void pending_deliveries_of_an_absent_node_are_sent_by_one_of_the_others() throws Exception {
        assertThat(open(1)).as("while its node is alive").isEmpty();
        away("one");
        var claims = new ArrayList<Callable<Boolean>>();
        for (int other : List.of(1, 2))
            for (var delivery : open(other))
                claims.add(() -> ledgers.get(other).deliveries().claim(delivery));
        assertThat(claims).hasSize(2 * NOTICES);

        int won = 0;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var claim : threads.invokeAll(claims)) if (claim.get()) won++;
        }

        assertThat(won).isEqualTo(NOTICES);
        assertThat(open(0)).as("claimed by other nodes").isEmpty();
        assertThat(open(1).size() + open(2).size()).isEqualTo(NOTICES);
    }

    @Test
    void a_claimed_delivery_of_an_absent_node_is_claimed_by_another_unless_it_was_tried() {
        away("one");
        var first = open(1).getFirst();
        assertThat(ledgers.get(1).deliveries().claim(first)).isTrue();
        assertThat(ledgers.get(2).deliveries().claim(first)).isFalse();
        away("two");
        assertThat(ledgers.get(2).deliveries().claim(first)).isTrue();
        assertThat(ledgers.get(2).deliveries().markFailed(first, "nobody there", Optional.of(clock.now())))
                .isTrue();
        away("three");
        assertThat(ledgers.get(1).deliveries().claim(first))
                .as("by the state before the failed try")
                .isFalse();
    }
}
