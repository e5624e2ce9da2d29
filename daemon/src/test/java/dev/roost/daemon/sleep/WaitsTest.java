package dev.roost.daemon.sleep;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What fails at once is not tried in a hurry. */
class WaitsTest {

    @Test
    void waits_grow_to_a_minute_and_are_short_again_after_a_minute_that_went_well() {
        var waits = new Waits();
        assertThat(IntStream.range(0, 9)
                        .mapToLong(_ -> waits.after(Duration.ZERO).toSeconds()))
                .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L, 60L);
        assertThat(waits.after(Duration.ofSeconds(59))).hasSeconds(60);
        assertThat(waits.after(Duration.ofSeconds(60))).hasSeconds(1);
        assertThat(waits.after(Duration.ZERO)).hasSeconds(2);
    }
}
