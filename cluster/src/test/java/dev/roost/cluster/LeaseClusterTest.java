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

/** Who is gone, and who may say so. Minutes pass by moving the rows into the past. */
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

    private boolean seesGone(Lease lease) {
        return !database.with(lease::expiredNodes).isEmpty();
    }

    /** Both are heard all the time, until now. */
    private void steady() {
        for (int i = 0; i < 4; i++) {
            pass("one", 2);
            pass("other", 2);
            assertThat(one.renew().state()).isEqualTo(Lease.LeaseState.HELD);
            assertThat(other.renew().state()).isEqualTo(Lease.LeaseState.HELD);
        }
    }

    @Test
    void a_node_that_was_not_heard_for_the_grace_is_gone_for_those_who_were() {
        steady();
        pass("other", 5);
        assertThat(seesGone(one)).as("within the grace").isFalse();
        pass("other", 2);
        assertThat(seesGone(one)).isTrue();
        assertThat(seesGone(other)).as("nobody is gone for himself").isFalse();
        assertThat(other.renew().state()).isEqualTo(Lease.LeaseState.LAPSED);
        assertThat(seesGone(one)).as("it is back").isFalse();
    }

    @Test
    void after_an_outage_of_the_database_nobody_is_gone_at_once() {
        steady();
        pass("one", 60);
        pass("other", 60);
        assertThat(seesGone(one)).as("before its own lease is renewed").isFalse();
        assertThat(one.renew().state()).isEqualTo(Lease.LeaseState.LAPSED);
        assertThat(seesGone(one)).as("it was not heard itself").isFalse();
        for (int i = 0; i < 4; i++) {
            pass("one", 2);
            assertThat(one.renew().state()).isEqualTo(Lease.LeaseState.HELD);
        }
        assertThat(seesGone(one)).as("heard for the grace since then").isTrue();
    }

    @Test
    void who_settles_after_an_outage_was_not_heard_all_the_time_either() {
        steady();
        pass("one", 60);
        pass("other", 60);
        one.becomeAvailable();
        assertThat(seesGone(one)).isFalse();
    }

    @Test
    void a_node_that_starts_anew_is_counted_on_as_before_and_given_nothing_yet() {
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
                .as("it dies again and again before it was heard of")
                .filteredOn(node -> node.name().equals("one"))
                .noneMatch(NodeRow::live);
    }

    @Test
    void who_has_just_joined_takes_nothing_over() {
        pass("other", 60);
        assertThat(seesGone(one)).isFalse();
    }

    @Test
    void a_node_that_is_back_cannot_be_taken_over_from_any_more() {
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
    void a_name_is_another_homes_only_when_nobody_has_it_any_more_nor_runs_under_it() {
        var newcomer = leaseOf("other", "a new home");
        assertThatThrownBy(newcomer::join).isInstanceOf(Refusal.class).hasMessageContaining("other");
        pass("other", 5);
        assertThatThrownBy(newcomer::join)
                .as("its lease is over, its grace is not")
                .isInstanceOf(Refusal.class);
        pass("other", 5);
        database.use(handle -> handle.execute("""
                INSERT INTO run (id, owner, agent, driver, description, cwd, max_output, on_loss, attempt, created_at, holder)
                VALUES ('r_000000000001', 'claude:parent', 'command', 'command', 'sleep', '/', 1000000, 'report', 1, 1000, 'other');
                INSERT INTO attempt (run_id, n, status, phase, created_at, started_at, node)
                VALUES ('r_000000000001', 1, 'running', 'working', 1000, 1000, 'other');
                """));
        assertThatThrownBy(newcomer::join)
                .as("nobody has taken over what it had")
                .isInstanceOf(Refusal.class);
        database.use(handle -> handle.execute("""
                UPDATE attempt SET status = 'abandoned', phase = NULL, cause = 'worker_lost', evidence = '{}', ended_at = 2000
                """));
        newcomer.join();
        assertThat(other.renew().state()).isEqualTo(Lease.LeaseState.TAKEN);
    }

    @Test
    void a_copy_of_a_home_on_another_machine_is_kept_out_while_the_home_is_alive() {
        database.use(handle -> handle.execute("UPDATE node SET boot = 'of another machine' WHERE name = 'other'"));
        var copy = leaseOf("other", "other");
        assertThatThrownBy(copy::join).isInstanceOf(Refusal.class);
        pass("other", 5);
        copy.join();
    }

    @Test
    void a_node_that_never_comes_to_be_heard_is_gone_however_often_it_begins() {
        steady();
        for (int i = 0; i < 6; i++) {
            pass("other", 2);
            pass("one", 2);
            one.renew();
            other.join();
        }
        assertThat(seesGone(one)).isTrue();
        other.becomeAvailable();
        assertThat(seesGone(one)).as("it has settled at last").isFalse();
        pass("other", 5);
        other.join();
        pass("other", 5);
        assertThat(seesGone(one)).as("it came back in time").isFalse();
    }

    @Test
    void a_node_is_given_runs_only_once_it_has_settled() {
        assertThat(database.with(Lease::all)).allMatch(node -> node.free() == 0);
        one.becomeAvailable();
        assertThat(database.with(Lease::all))
                .filteredOn(node -> node.free() == 1)
                .singleElement()
                .matches(node -> node.name().equals("one"));
    }
}
