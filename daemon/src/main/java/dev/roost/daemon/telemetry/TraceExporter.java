package dev.roost.daemon.telemetry;

import dev.roost.daemon.config.TelemetrySettings;
import dev.roost.model.RunId;
import dev.roost.service.RoostService;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Exports a trace of each run to a collector. The ledger's thread only queues an event; one thread reads the rows and makes
 * spans, another sends them. Both queues are bounded, so an unreachable collector costs a fixed amount of memory.
 */
public final class TraceExporter implements Exporter {

    private static final System.Logger LOG = System.getLogger(TraceExporter.class.getName());
    private static final int EVENT_CAPACITY = 10_000;
    private static final int SPAN_CAPACITY = 4_096;
    private static final int BATCH_SIZE = 512;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    /** An event to export. */
    private sealed interface TraceEvent {
        record AttemptEnded(RunId run, int attempt) implements TraceEvent {}

        record NoticeDelivered(RunId run, long notice) implements TraceEvent {}
    }

    private final TelemetrySettings settings;
    private final SpanCounts counts;
    private final BlockingQueue<TraceEvent> events = new ArrayBlockingQueue<>(EVENT_CAPACITY);
    private final BlockingQueue<TraceSpan> spans = new ArrayBlockingQueue<>(SPAN_CAPACITY);
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();
    private boolean failing; // used by the sending thread only: repeated failures are logged once

    public TraceExporter(TelemetrySettings settings, SpanCounts counts) {
        this.settings = settings;
        this.counts = counts;
    }

    @Override
    public void attemptEnded(AttemptEndMetrics ended) {
        recordEvent(new TraceEvent.AttemptEnded(
                ended.run().id(), ended.run().latest().n()));
    }

    @Override
    public void acknowledged(RunId run, long notice, Duration waited) {
        recordEvent(new TraceEvent.NoticeDelivered(run, notice));
    }

    private void recordEvent(TraceEvent one) {
        if (!events.offer(one)) counts.dropped("queue_full", 1);
    }

    @Override
    public void start(RoostService service, Path home, String version) {
        var runSpans = new RunSpans(service, settings.content(), source(home, version));
        threads.add(Thread.ofPlatform().daemon().name("roost-spans").start(() -> makeSpans(runSpans)));
        threads.add(Thread.ofPlatform().daemon().name("roost-traces").start(() -> {
            try (var otlpClient = new OtlpClient(settings)) {
                send(otlpClient);
            }
        }));
    }

    private static TraceSpan.SpanSource source(Path home, String version) {
        var instance = UUID.nameUUIDFromBytes(home.toString().getBytes(StandardCharsets.UTF_8));
        var attributes = Attributes.builder()
                .put("service.name", "roost")
                .put("service.version", version)
                .put("service.instance.id", instance.toString());
        return new TraceSpan.SpanSource(
                Resource.create(attributes.build()),
                InstrumentationScopeInfo.builder("roost").setVersion(version).build());
    }

    private void makeSpans(RunSpans runSpans) {
        try {
            while (true) {
                var one = events.poll(100, TimeUnit.MILLISECONDS);
                if (one == null) {
                    if (stopping.getCount() == 0) return;
                    continue;
                }
                for (var span : spansOf(runSpans, one)) if (!spans.offer(span)) counts.dropped("queue_full", 1);
            }
        } catch (InterruptedException e) {
            // the exporter is closing
        }
    }

    private List<TraceSpan> spansOf(RunSpans runSpans, TraceEvent one) {
        try {
            return switch (one) {
                case TraceEvent.AttemptEnded(var run, var attempt) -> runSpans.attemptSpans(run, attempt);
                case TraceEvent.NoticeDelivered(var run, var notice) -> runSpans.noticeSpans(run, notice);
            };
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "no spans for " + one, e);
            counts.dropped("unreadable", 1);
            return List.of();
        }
    }

    private void send(OtlpClient otlpClient) {
        var batch = new ArrayList<TraceSpan>();
        try {
            while (true) {
                batch.clear();
                var first = spans.poll(100, TimeUnit.MILLISECONDS);
                if (first == null) {
                    if (stopping.getCount() == 0 && !threads.getFirst().isAlive()) return;
                    continue;
                }
                batch.add(first);
                spans.drainTo(batch, BATCH_SIZE - 1);
                send(otlpClient, batch);
            }
        } catch (InterruptedException e) {
            counts.dropped("stopped", batch.size() + spans.size());
        }
    }

    private void send(OtlpClient otlpClient, List<TraceSpan> batch) throws InterruptedException {
        switch (otlpClient.send(batch)) {
            case OtlpClient.ExportResult.Accepted(var reported) -> {
                failing = false;
                long rejected = Math.clamp(reported, 0, batch.size());
                counts.exported(batch.size() - rejected);
                counts.dropped("rejected", rejected);
            }
            case OtlpClient.ExportResult.Failure(var why) -> giveUp(why, batch.size());
        }
    }

    private void giveUp(String why, int count) {
        counts.dropped("no_collector", count);
        if (failing) return;
        failing = true;
        LOG.log(
                System.Logger.Level.WARNING,
                "traces cannot be exported ({0}); spans are dropped until the collector answers",
                why);
    }

    /** Sends the queued spans, for a limited time. */
    @Override
    public void close() {
        stopping.countDown();
        try {
            for (var thread : threads) if (!thread.join(CLOSE_TIMEOUT)) thread.interrupt();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
