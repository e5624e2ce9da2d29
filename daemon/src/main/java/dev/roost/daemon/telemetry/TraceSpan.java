package dev.roost.daemon.telemetry;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One span to export. {@code error}: the reason of a failure, in one word. Attributes are strings, numbers and booleans. */
record TraceSpan(
        String trace,
        String id,
        Optional<String> parent,
        String name,
        Instant from,
        Instant until,
        Map<String, Object> attributes,
        List<SpanEvent> moments,
        Optional<SpanLink> link,
        Optional<String> error) {

    TraceSpan {
        if (until.isBefore(from)) until = from; // the clock was set back
    }

    /** An event within the span. */
    record SpanEvent(Instant at, String name) {}

    /** The trace of the program that requested the run. */
    record SpanLink(String trace, String span) {}
}
