package dev.roost.daemon.telemetry;

import dev.roost.base.Broken;
import dev.roost.base.Clock;
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

/** All meters of one daemon, and the page they are read from. */
public final class MetricsRegistry implements AutoCloseable {

    private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
    private static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final LedgerCounters counters = new LedgerCounters(registry);
    private final JvmGcMetrics collections = new JvmGcMetrics();
    private Optional<ReadinessProbe> ready = Optional.empty();
    private boolean watchesJava;

    /** What Roost is to be opened with. */
    public LedgerMetrics meters() {
        return counters;
    }

    /** To be asked for only where there are traces. */
    public SpanCounts spans() {
        return new SpanCounts(registry);
    }

    /** From now on there is something to be read. */
    public void watch(RoostService service, Path home, String version, Clock clock) {
        var looks = new ReadinessProbe(service.maintenance().readiness(), clock);
        ready = Optional.of(looks);
        registry.getPrometheusRegistry().register(new LedgerGauges(service, looks));
        Gauge.builder("roost.home.free", home, where -> where.toFile().getUsableSpace())
                .description("What is free on the disk of the home.")
                .baseUnit("bytes")
                .register(registry);
        Gauge.builder("roost.build.info", () -> 1)
                .description("Which Roost this is.")
                .tag("version", version)
                .register(registry);
    }

    /** Java's own meters take a while to set up, and a daemon that nobody scrapes need not start later for them. */
    private synchronized void watchJava() {
        if (watchesJava) return;
        watchesJava = true;
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        collections.bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
    }

    /** What keeps the daemon from being of use now. */
    public Optional<Broken> trouble() {
        return ready.flatMap(ReadinessProbe::trouble);
    }

    /** All meters, in the one of two formats that {@code accepts} (the headers of that name) asks for. */
    public MetricsPage page(List<String> accepts) throws IOException {
        boolean open = String.join(",", accepts).contains("application/openmetrics-text");
        var type = open ? OPEN_METRICS : TEXT;
        watchJava();
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
