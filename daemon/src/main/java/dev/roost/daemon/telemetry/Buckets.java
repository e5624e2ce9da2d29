package dev.roost.daemon.telemetry;

import java.time.Duration;
import java.util.Arrays;

/** Bucket boundaries of the histograms: narrow around a promised time (ends within 50 ms), wide elsewhere. */
final class Buckets {

    private Buckets() {}

    static final Duration[] LAGS =
            millis(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 60_000, 600_000);
    static final Duration[] COMMITS = millis(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000);
    static final Duration[] WAITS = seconds(1, 5, 30, 60, 300, 1_800, 3_600, 14_400, 86_400);
    static final Duration[] WORK = seconds(1, 10, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400);
    static final double[] WRITES = {1, 2, 4, 8, 16, 32, 64, 128, 256};

    private static Duration[] millis(long... values) {
        return Arrays.stream(values).mapToObj(Duration::ofMillis).toArray(Duration[]::new);
    }

    private static Duration[] seconds(long... values) {
        return Arrays.stream(values).mapToObj(Duration::ofSeconds).toArray(Duration[]::new);
    }
}
