package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.Refusal;
import dev.roost.cluster.db.ConnectionSource;
import dev.roost.cluster.db.DatabaseAddress;
import dev.roost.cluster.testing.SchemaDatabases;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which node is expired, and which may take over. Minutes pass by moving the rows into the past. */
class LeaseClusterTest {

    private final ConnectionSource database =
            new ConnectionSource(DatabaseAddress.parse(SchemaDatabases.fresh()).source("a test", 0));
    private final Lease one = lease("one");
    private final Lease other = lease("other");

    private Lease lease(String name) {
        var lease = leaseOf(name, name);
        lease.join();
        return lease;
    }

    private Lease leaseOf(String name, String home) {
        var leases = new NodeIdentity.LeaseTimes(Duration.ofMinutes(3), Duration.ofMinutes(6));
        return new Lease(database, new NodeIdentity(name, home, "1", Set.of(), 1, 1, leases));
    }

    private void pass(String node, int minutes) {
        database.use(handle -> handle.execute("""
                UPDATE node SET heard_at = heard_at - ? * interval '1 minute', lease_until = lease_until - ? * interval '1 minute',
                                steady_since = steady_since - ? * interval '1 minute', joined_at = joined_at - ? * interval '1 minute'
                 WHERE name = ?
                """, minutes, minutes, minutes, minutes, node));
    }

    private boolean seesExpired(Lease lease) {
        return !database.with(lease::expiredNodes).isEmpty();
    }

    /** Both nodes have renewed steadily until now. */
    private void steady() {
        for (int i = 0; i < 4; i++) {
            pass("one", 2);
            pass("other", 2);
            assertThat(one.renew().state()).isEqualTo(Lease.LeaseState.HELD);
            assertThat(other.renew().state()).isEqualTo(Lease.LeaseState.HELD);
        }
    }

    @Test
    void a_node_without_heartbeat_for_the_grace_is_expired_for_nodes_with_steady_heartbeats() {
        steady();
        pass("other", 5);
        assertThat(seesExpired(one)).as("within the grace").isFalse();
        pass("other", 2);
        assertThat(seesExpired(one)).isTrue();
        assertThat(seesExpired(other)).as("a node is never expired for itself").isFalse();
        assertThat(other.renew().state()).isEqualTo(Lease.LeaseState.LAPSED);
        assertThat(seesExpired(one)).as("the node is back").isFalse();
    }

    @Test
    void no_node_expires_right_after_an_outage_of_the_database() {
        steady();
        pass("one", 60);
        pass("other", 60);
        assertThat(seesExpired(one)).as("before its own lease is renewed").isFalse();
        assertThat(one.renew().state()).isEqualTo(Lease.LeaseState.LAPSED);
        assertThat(seesExpired(one)).as("this node did not renew either").isFalse();
        for (int i = 0; i < 4; i++) {
            pass("one", 2);
            assertThat(one.renew().state()).isEqualTo(Lease.LeaseState.HELD);
        }
        assertThat(seesExpired(one))
                .as("renewed steadily for the grace since then")
                .isTrue();
    }

    @Test
    void a_node_that_becomes_available_after_an_outage_has_no_steady_heartbeat_yet() {
        steady();
        pass("one", 60);
        pass("other", 60);
        one.becomeAvailable();
        assertThat(seesExpired(one)).isFalse();
    }

    @Test
    void a_restarting_node_stays_live_but_is_given_no_runs_yet() {
        one.becomeAvailable();
        one.join();
        assertThat(database.with(Lease::all))
                .filteredOn(node -> node.name().equals("one"))
                .singleElement()
                .matches(node -> node.live() && node.maxLive() == 1 && node.free() == 0);
        pass("one", 10);
        one.join();
        pass("one", 2);
        one.join();
        assertThat(database.with(Lease::all))
                .as("it crashes repeatedly before its recovery ends")
                .filteredOn(node -> node.name().equals("one"))
                .noneMatch(NodeRow::live);
    }

    @Test
    void a_node_that_has_just_joined_takes_over_nothing() {
        pass("other", 60);
        assertThat(seesExpired(one)).isFalse();
    }

    @Test
    void runs_of_a_node_that_came_back_are_not_taken_over() {
        steady();
        pass("other", 7);
        var gone = database.with(one::expiredNodes).getFirst();
        assertThat(database.<Boolean, RuntimeException>transact(handle -> one.isExpired(handle, gone)))
                .isTrue();
        other.renew();
        assertThat(database.<Boolean, RuntimeException>transact(handle -> one.isExpired(handle, gone)))
                .isFalse();
    }

    @Test
    void a_node_name_passes_to_another_home_only_when_its_node_is_expired_and_has_no_runs() {
        var newcomer = leaseOf("other", "a new home");
        assertThatThrownBy(newcomer::join).isInstanceOf(Refusal.class).hasMessageContaining("other");
        pass("other", 5);
        assertThatThrownBy(newcomer::join)
                .as("its lease has expired, its grace has not")
                .isInstanceOf(Refusal.class);
        pass("other", 5);
        database.use(handle -> handle.execute("""
                INSERT INTO run (id, owner, agent, driver, description, cwd, max_output, on_loss, attempt, created_at, holder)
                VALUES ('r_000000000001', 'claude:parent', 'command', 'command', 'sleep', '/', 1000000, 'report', 1, 1000, 'other');
                INSERT INTO attempt (run_id, n, status, phase, created_at, started_at, node)
                VALUES ('r_000000000001', 1, 'running', 'working', 1000, 1000, 'other');
                """));
        assertThatThrownBy(newcomer::join).as("its runs are not taken over yet").isInstanceOf(Refusal.class);
        database.use(handle -> handle.execute("""
                UPDATE attempt SET status = 'abandoned', phase = NULL, cause = 'worker_lost', evidence = '{}', ended_at = 2000
                """));
        newcomer.join();
        assertThat(other.renew().state()).isEqualTo(Lease.LeaseState.TAKEN);
    }

    @Test
    void a_copy_of_a_home_on_another_machine_is_refused_while_the_home_is_alive() {
        database.use(handle -> handle.execute("UPDATE node SET boot = 'of another machine' WHERE name = 'other'"));
        var copy = leaseOf("other", "other");
        assertThatThrownBy(copy::join).isInstanceOf(Refusal.class);
        pass("other", 5);
        copy.join();
    }

    @Test
    void a_node_that_crashes_during_every_start_expires() {
        steady();
        for (int i = 0; i < 6; i++) {
            pass("other", 2);
            pass("one", 2);
            one.renew();
            other.join();
        }
        assertThat(seesExpired(one)).isTrue();
        other.becomeAvailable();
        assertThat(seesExpired(one)).as("its recovery has ended").isFalse();
        pass("other", 5);
        other.join();
        pass("other", 5);
        assertThat(seesExpired(one)).as("it came back in time").isFalse();
    }

    @Test
    void a_node_is_given_runs_only_after_its_recovery() {
        assertThat(database.with(Lease::all)).allMatch(node -> node.free() == 0);
        one.becomeAvailable();
        assertThat(database.with(Lease::all))
                .filteredOn(node -> node.free() == 1)
                .singleElement()
                .matches(node -> node.name().equals("one"));
    }
}
