package dev.roost.daemon.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.daemon.config.TelemetrySettings;
import dev.roost.daemon.telemetry.OtlpClient.ExportResult;
import dev.roost.daemon.testing.OtlpCollector;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.proto.trace.v1.Status;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.EventData;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Spans on their way to a collector that answers as collectors do. */
class OtlpClientTest {

    private static final TraceSpan.SpanSource SOURCE =
            new TraceSpan.SpanSource(Resource.empty(), InstrumentationScopeInfo.create("roost"));
    private static final Instant START = Instant.parse("2026-11-19T20:00:00.123456789Z");

    private OtlpCollector collector;
    private URI address;

    @BeforeEach
    void startCollector() throws IOException {
        collector = new OtlpCollector();
        address = URI.create(collector.address() + "/v1/traces");
    }

    @AfterEach
    void stopCollector() {
        collector.close();
    }

    private ExportResult send(TraceSpan... spans) throws InterruptedException {
        try (var client = new OtlpClient(settings())) {
            return client.send(List.of(spans));
        }
    }

    private TelemetrySettings settings() {
        return new TelemetrySettings(address, Map.of("X-Key", "abc"), false);
    }

    private static TraceSpan span(Instant until, AttributesBuilder attributes, Optional<String> error) {
        return TraceSpan.of(
                SOURCE,
                "0af7651916cd43dd8448eb211c80319c",
                "b7ad6b7169203331",
                Optional.of("00f067aa0ba902b7"),
                "queued",
                START,
                until,
                attributes,
                List.of(EventData.create(TraceSpan.nanos(START), "offered", Attributes.empty())),
                TraceParent.read("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b8-01"),
                error);
    }

    @Test
    void every_part_of_a_span_arrives_as_binary_protobuf() throws Exception {
        var attributes = Attributes.builder()
                .put("text", "π")
                .put("number", Long.MAX_VALUE)
                .put("share", 0.5);
        assertThat(send(span(START.plusNanos(1), attributes, Optional.of("lost"))))
                .isEqualTo(new ExportResult.Accepted(0));
        assertThat(collector.faults).isEmpty();
        assertThat(collector.formats).containsExactly("application/x-protobuf");
        assertThat(collector.keys).containsExactly("abc");
        var span = collector.named("queued").getFirst();
        assertThat(OtlpCollector.hex(span.getTraceId())).isEqualTo("0af7651916cd43dd8448eb211c80319c");
        assertThat(OtlpCollector.hex(span.getSpanId())).isEqualTo("b7ad6b7169203331");
        assertThat(OtlpCollector.hex(span.getParentSpanId())).isEqualTo("00f067aa0ba902b7");
        assertThat(span.getStartTimeUnixNano()).isEqualTo(1_795_118_400_123_456_789L);
        assertThat(span.getEndTimeUnixNano()).isEqualTo(1_795_118_400_123_456_790L);
        assertThat(OtlpCollector.attributes(span))
                .isEqualTo(Map.of("text", "π", "number", Long.MAX_VALUE, "share", 0.5, "error.type", "lost"));
        assertThat(span.getStatus().getMessage()).isEqualTo("lost");
        assertThat(span.getEvents(0).getName()).isEqualTo("offered");
        assertThat(OtlpCollector.hex(span.getLinks(0).getSpanId())).isEqualTo("00f067aa0ba902b8");
    }

    @Test
    void a_span_that_ends_before_it_began_ends_when_it_began() throws Exception {
        send(span(START.minusSeconds(5), Attributes.builder(), Optional.empty()));
        var span = collector.named("queued").getFirst();
        assertThat(span.getEndTimeUnixNano()).isEqualTo(span.getStartTimeUnixNano());
        assertThat(span.getStatus().getCode()).isEqualTo(Status.StatusCode.STATUS_CODE_UNSET);
    }

    @Test
    void the_spans_that_the_collector_rejects_are_counted() throws Exception {
        collector.rejected = 300;
        var span = span(START, Attributes.builder(), Optional.empty());
        assertThat(send(span, span)).isEqualTo(new ExportResult.Accepted(300));
    }

    @Test
    void a_failed_connection_is_named_without_the_address() throws Exception {
        collector.close();
        var span = span(START, Attributes.builder(), Optional.empty());
        assertThat(send(span)).isEqualTo(new ExportResult.Failure("no answer: ClosedChannelException"));
    }

    @Test
    void a_collector_that_stops_in_the_middle_of_an_answer_is_left_and_asked_again() throws Exception {
        var span = span(START, Attributes.builder(), Optional.empty());
        try (var client = new OtlpClient(settings(), Duration.ofMillis(500))) {
            collector.stalling = true;
            assertThat(client.send(List.of(span))).isEqualTo(new ExportResult.Failure("no answer in time"));
            collector.stalling = false;
            assertThat(client.send(List.of(span))).isEqualTo(new ExportResult.Accepted(0));
        }
    }

    @Test
    void a_refusal_is_not_sent_again_and_a_busy_collector_is_tried_four_times() throws Exception {
        var span = span(START, Attributes.builder(), Optional.empty());
        collector.answer = 401;
        assertThat(send(span)).isEqualTo(new ExportResult.Failure("answered 401"));
        assertThat(collector.answers).containsExactly(401);
        collector.answer = 503;
        assertThat(send(span)).isEqualTo(new ExportResult.Failure("answered 503"));
        assertThat(collector.answers).containsExactly(401, 503, 503, 503, 503);
    }
}
