package dev.roost.daemon.sleep;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What fails at once is not tried in a hurry. */
class RetryDelayTest {

    @Test
    void retry_delays_grow_to_a_minute_and_reset_after_a_good_minute() {
        var retryDelay = new RetryDelay();
        assertThat(IntStream.range(0, 9)
                        .mapToLong(_ -> retryDelay.after(Duration.ZERO).toSeconds()))
                .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L, 60L);
        assertThat(retryDelay.after(Duration.ofSeconds(59))).hasSeconds(60);
        assertThat(retryDelay.after(Duration.ofSeconds(60))).hasSeconds(1);
        assertThat(retryDelay.after(Duration.ZERO)).hasSeconds(2);
    }
}
