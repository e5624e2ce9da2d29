package dev.roost.daemon.telemetry;

import io.opentelemetry.sdk.trace.data.LinkData;
import java.util.Optional;
import java.util.regex.Pattern;

/** The variable TRACEPARENT, by which a program names the trace that it belongs to. */
final class TraceParent {

    private static final Pattern SHAPE =
            Pattern.compile("(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-[0-9a-f]{2}(-.*)?");

    private TraceParent() {}

    static Optional<LinkData> read(String text) {
        var shape = SHAPE.matcher(text.strip());
        return shape.matches()
                ? Optional.of(LinkData.create(TraceSpan.context(shape.group(1), shape.group(2))))
                : Optional.empty();
    }
}
