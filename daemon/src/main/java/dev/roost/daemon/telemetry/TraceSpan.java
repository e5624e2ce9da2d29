package dev.roost.daemon.telemetry;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** One span to export. The components have the names of {@link SpanData}'s methods, which they implement. */
record TraceSpan(
        SpanSource source,
        SpanContext getSpanContext,
        SpanContext getParentSpanContext,
        String getName,
        long getStartEpochNanos,
        long getEndEpochNanos,
        Attributes getAttributes,
        List<EventData> getEvents,
        List<LinkData> getLinks,
        StatusData getStatus)
        implements SpanData {

    /** What all spans of a daemon have in common. */
    record SpanSource(Resource resource, InstrumentationScopeInfo scope) {}

    /** {@code error}: the reason of a failure, in one word. */
    static TraceSpan of(
            SpanSource source,
            String trace,
            String id,
            Optional<String> parent,
            String name,
            Instant from,
            Instant until,
            AttributesBuilder attributes,
            List<EventData> events,
            Optional<LinkData> link,
            Optional<String> error) {
        error.ifPresent(why -> attributes.put("error.type", why));
        return new TraceSpan(
                source,
                context(trace, id),
                parent.map(one -> context(trace, one)).orElseGet(SpanContext::getInvalid),
                name,
                nanos(from),
                nanos(until.isBefore(from) ? from : until), // the clock was set back
                attributes.build(),
                events,
                link.stream().toList(),
                error.map(why -> StatusData.create(StatusCode.ERROR, why)).orElseGet(StatusData::unset));
    }

    static SpanContext context(String trace, String span) {
        return SpanContext.create(trace, span, TraceFlags.getSampled(), TraceState.getDefault());
    }

    static long nanos(Instant at) {
        return TimeUnit.SECONDS.toNanos(at.getEpochSecond()) + at.getNano();
    }

    @Override
    public SpanKind getKind() {
        return SpanKind.INTERNAL;
    }

    @Override
    public boolean hasEnded() {
        return true;
    }

    @Override
    public int getTotalAttributeCount() {
        return getAttributes.size();
    }

    @Override
    public int getTotalRecordedEvents() {
        return getEvents.size();
    }

    @Override
    public int getTotalRecordedLinks() {
        return getLinks.size();
    }

    @Override
    public Resource getResource() {
        return source.resource();
    }

    @Override
    public InstrumentationScopeInfo getInstrumentationScopeInfo() {
        return source.scope();
    }

    @Override
    @Deprecated
    public io.opentelemetry.sdk.common.InstrumentationLibraryInfo getInstrumentationLibraryInfo() {
        throw new UnsupportedOperationException("getInstrumentationScopeInfo replaces it");
    }
}
