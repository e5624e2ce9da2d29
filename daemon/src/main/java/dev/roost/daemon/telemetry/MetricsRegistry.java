package dev.roost.daemon.telemetry;

import dev.roost.base.Clock;
import dev.roost.base.RoostError;
import dev.roost.ledger.record.LedgerMetrics;
import dev.roost.service.RoostService;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** All meters of one daemon, and the page that shows them. */
public final class MetricsRegistry implements AutoCloseable {

    private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
    private static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final LedgerCounters counters = new LedgerCounters(registry);
    private final JvmGcMetrics collections = new JvmGcMetrics();
    private Optional<ReadinessProbe> ready = Optional.empty();
    private boolean bindsJava;

    /** The meters to open Roost with. */
    public LedgerMetrics meters() {
        return counters;
    }

    /** Registers the counters of exported spans. Call it only if traces are exported. */
    public SpanCounts spans() {
        return new SpanCounts(registry);
    }

    /** Registers the gauges of this service, and starts readiness checks. */
    public void watch(RoostService service, Path home, String version, Clock clock) {
        var readinessProbe = new ReadinessProbe(service.maintenance().readiness(), clock);
        ready = Optional.of(readinessProbe);
        registry.getPrometheusRegistry().register(new LedgerGauges(service, readinessProbe));
        Gauge.builder("roost.home.free", home, where -> where.toFile().getUsableSpace())
                .description("Free space on the disk of the home.")
                .baseUnit("bytes")
                .register(registry);
        Gauge.builder("roost.build.info", () -> 1)
                .description("The version of Roost.")
                .tag("version", version)
                .register(registry);
    }

    /** Binds Java's own meters at the first scrape. That takes a while, and would delay the start of every daemon. */
    private synchronized void bindJavaMeters() {
        if (bindsJava) return;
        bindsJava = true;
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        collections.bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
    }

    /** The reason why the daemon is not ready now. */
    public Optional<RoostError> trouble() {
        return ready.flatMap(ReadinessProbe::trouble);
    }

    /** All meters, in the format that the {@code Accept} headers ask for. */
    public MetricsPage page(List<String> accepts) throws IOException {
        boolean open = String.join(",", accepts).contains("application/openmetrics-text");
        var type = open ? OPEN_METRICS : TEXT;
        bindJavaMeters();
        var bytes = new ByteArrayOutputStream();
        registry.scrape(bytes, type);
        return new MetricsPage(type, bytes.toByteArray());
    }

    @SuppressWarnings("ArrayRecordComponent") // read once, and written out
    public record MetricsPage(String type, byte[] bytes) {}

    @Override
    public void close() {
        ready.ifPresent(ReadinessProbe::close);
        collections.close();
        registry.close();
    }
}
