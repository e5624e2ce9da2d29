package dev.roost.daemon.telemetry;

import dev.roost.daemon.config.TelemetrySettings;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.common.ComponentLoader;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.common.export.HttpSenderProvider;
import io.opentelemetry.sdk.common.export.MemoryMode;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Sends spans to the collector with OpenTelemetry's exporter, which encodes them and retries. */
final class OtlpClient implements AutoCloseable {

    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);
    private static final RetryPolicy FOUR_TRIES = RetryPolicy.builder()
            .setMaxAttempts(4)
            .setInitialBackoff(Duration.ofSeconds(1))
            .setBackoffMultiplier(2)
            .setMaxBackoff(Duration.ofSeconds(3))
            .build();
    /** The timeout of all tries together, with the pauses between them. */
    private static final Duration LIMIT = Duration.ofSeconds(20);
    /** Only a collector that stops in the middle of an answer takes longer than the limit. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    /** Held here, because the log manager holds loggers only weakly. {@link TraceExporter} logs a failure, once. */
    private static final Logger EXPORTER_LOG = Logger.getLogger("io.opentelemetry");

    private final AtomicReference<ExportResult> answer = new AtomicReference<>(new ExportResult.Failure("no answer"));
    private final TelemetrySettings settings;
    private final Duration limit;
    private ExecutorService sending = Executors.newVirtualThreadPerTaskExecutor();
    private OtlpHttpSpanExporter exporter;

    OtlpClient(TelemetrySettings settings) {
        this(settings, LIMIT);
    }

    OtlpClient(TelemetrySettings settings, Duration limit) {
        EXPORTER_LOG.setLevel(Level.OFF);
        this.settings = settings;
        this.limit = limit;
        this.exporter = exporter();
    }

    private OtlpHttpSpanExporter exporter() {
        return OtlpHttpSpanExporter.builder()
                .setEndpoint(settings.traces().toString())
                .setHeaders(settings::headers)
                .setConnectTimeout(CONNECT_LIMIT)
                .setTimeout(limit)
                .setRetryPolicy(FOUR_TRIES)
                .setMeterProvider(MeterProvider.noop())
                .setMemoryMode(MemoryMode.IMMUTABLE_DATA)
                .setExecutorService(sending)
                .setComponentLoader(recording(answer))
                .build();
    }

    /** Loads the components of the exporter; its sender sets {@code answer}. */
    private static ComponentLoader recording(AtomicReference<ExportResult> answer) {
        var loader = ComponentLoader.forClassLoader(OtlpClient.class.getClassLoader());
        return new ComponentLoader() {
            @Override
            public <T> Iterable<T> load(Class<T> type) {
                var found = loader.load(type);
                if (!type.equals(HttpSenderProvider.class)) return found;
                var provider = (HttpSenderProvider) found.iterator().next();
                HttpSenderProvider recorded = config -> new AnswerRecorder(provider.createSender(config), answer);
                return List.of(type.cast(recorded));
            }
        };
    }

    /** The result of a request. */
    sealed interface ExportResult {
        /** {@code rejected}: the number of spans that the collector refused. */
        record Accepted(long rejected) implements ExportResult {}

        record Failure(String why) implements ExportResult {}
    }

    ExportResult send(List<TraceSpan> spans) throws InterruptedException {
        var result = exporter.export(List.<SpanData>copyOf(spans))
                .join(limit.plus(GRACE).toMillis(), TimeUnit.MILLISECONDS);
        if (Thread.interrupted()) throw new InterruptedException();
        if (result.isDone()) return answer.get();
        close();
        sending = Executors.newVirtualThreadPerTaskExecutor();
        exporter = exporter();
        return new ExportResult.Failure("no answer in time");
    }

    /** Interrupts a request, because the exporter's own end would wait for its answer. */
    @Override
    public void close() {
        sending.shutdownNow();
        exporter.shutdown();
    }
}
