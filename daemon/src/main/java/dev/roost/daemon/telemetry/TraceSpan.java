package dev.roost.daemon.telemetry;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One span as it is told. {@code error}: why it went wrong, in one word. Attributes are strings, numbers and booleans. */
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
        if (until.isBefore(from)) until = from; // a clock that was set back
    }

    /** Something that happened within it. */
    record SpanEvent(Instant at, String name) {}

    /** The trace of whoever asked for it. */
    record SpanLink(String trace, String span) {}
}
