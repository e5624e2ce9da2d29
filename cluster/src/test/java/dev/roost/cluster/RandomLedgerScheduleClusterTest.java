package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cluster.testing.SchemaDatabases;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Several nodes write to one ledger at once, at random, while their connections are closed. */
class RandomLedgerScheduleClusterTest {

    private static final int USUALLY = Boolean.getBoolean("roost.full") ? 8 : 4;

    static LongStream seeds() {
        long first = Long.getLong("roost.seed", 1);
        boolean one = System.getProperty("roost.seed") != null;
        return LongStream.range(first, first + Integer.getInteger("roost.schedules", one ? 1 : USUALLY));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @Timeout(
            value = 2,
            unit = TimeUnit.MINUTES,
            threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // a deadlock is a failure, too
    void no_order_of_writes_and_no_lost_connection_breaks_an_invariant(long seed) throws Exception {
        try (var schedule = new RandomLedgerSchedule(seed, SchemaDatabases.fresh())) {
            schedule.play();
            assertThat(schedule.broken())
                    .as("seed %d (-Droost.seed=%d)", seed, seed)
                    .isEmpty();
        }
    }
}
