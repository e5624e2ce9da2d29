package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

/** Who is gone, and who may say so. Minutes pass by moving the rows into the past. */
class LeaseTest {

    private final Jdbi jdbi = Postgres.jdbi(Address.parse(Databases.fresh()).source("a test", 0));
    private final Lease one = lease("one");
    private final Lease other = lease("other");

    private Lease lease(String name) {
        var leases = new Member.Leases(Duration.ofMinutes(3), Duration.ofMinutes(6));
        var lease = new Lease(jdbi, new Member(name, name, "1", Set.of(), 1, 1, leases));
        lease.join();
        return lease;
    }

    private void pass(String node, int minutes) {
        jdbi.useHandle(handle -> handle.execute("""
                UPDATE node SET heard_at = heard_at - ? * interval '1 minute', lease_until = lease_until - ? * interval '1 minute',
                                steady_since = steady_since - ? * interval '1 minute' WHERE name = ?
                """, minutes, minutes, minutes, node));
    }

    private boolean seesGone(Lease lease) {
        return !jdbi.withHandle(lease::gone).isEmpty();
    }

    /** Both are heard all the time, until now. */
    private void steady() {
        for (int i = 0; i < 4; i++) {
            pass("one", 2);
            pass("other", 2);
            assertThat(one.renew()).isEqualTo(Lease.Found.HELD);
            assertThat(other.renew()).isEqualTo(Lease.Found.HELD);
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
        assertThat(other.renew()).isEqualTo(Lease.Found.LAPSED);
        assertThat(seesGone(one)).as("it is back").isFalse();
    }

    @Test
    void after_an_outage_of_the_database_nobody_is_gone_at_once() {
        steady();
        pass("one", 60);
        pass("other", 60);
        assertThat(seesGone(one)).as("before its own lease is renewed").isFalse();
        assertThat(one.renew()).isEqualTo(Lease.Found.LAPSED);
        assertThat(seesGone(one)).as("it was not heard itself").isFalse();
        for (int i = 0; i < 4; i++) {
            pass("one", 2);
            assertThat(one.renew()).isEqualTo(Lease.Found.HELD);
        }
        assertThat(seesGone(one)).as("heard for the grace since then").isTrue();
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
        var gone = jdbi.withHandle(one::gone).getFirst();
        assertThat(jdbi.<Boolean, RuntimeException>inTransaction(handle -> one.isGone(handle, gone)))
                .isTrue();
        other.renew();
        assertThat(jdbi.<Boolean, RuntimeException>inTransaction(handle -> one.isGone(handle, gone)))
                .isFalse();
    }
}
