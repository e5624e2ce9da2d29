package dev.roost.daemon.telemetry;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;

/** Counts the spans that the collector accepted, and those that were dropped. */
public final class SpanCounts {

    private final Counter exported;
    private final MeterProvider<Counter> dropped;

    SpanCounts(MeterRegistry registry) {
        this.exported = Counter.builder("roost.spans.exported")
                .description("Spans that the collector accepted.")
                .register(registry);
        this.dropped = Counter.builder("roost.spans.dropped")
                .description("Spans that were dropped, by reason.")
                .withRegistry(registry);
    }

    public void exported(long count) {
        exported.increment((double) count);
    }

    public void dropped(String reason, long count) {
        if (count > 0) dropped.withTag("reason", reason).increment((double) count);
    }
}
