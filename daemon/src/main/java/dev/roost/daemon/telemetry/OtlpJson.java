package dev.roost.daemon.telemetry;

import dev.roost.daemon.api.RunJson;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Encodes spans as OTLP in JSON: ids in hexadecimal, 64-bit numbers as text. */
record OtlpJson(Map<String, Object> resource, String version) {

    private static final int INTERNAL = 1;
    private static final int ERROR = 2;

    byte[] request(List<TraceSpan> spans) {
        var json = RunJson.MAPPER.createObjectNode();
        var all = json.putArray("resourceSpans").addObject();
        attributes(resource, all.putObject("resource").putArray("attributes"));
        var scoped = all.putArray("scopeSpans").addObject();
        scoped.putObject("scope").put("name", "roost").put("version", version);
        var list = scoped.putArray("spans");
        for (var span : spans) write(span, list.addObject());
        return RunJson.MAPPER.writeValueAsBytes(json);
    }

    private static void write(TraceSpan span, ObjectNode json) {
        json.put("traceId", span.trace()).put("spanId", span.id());
        span.parent().ifPresent(parent -> json.put("parentSpanId", parent));
        json.put("name", span.name()).put("kind", INTERNAL);
        json.put("startTimeUnixNano", nanos(span.from())).put("endTimeUnixNano", nanos(span.until()));
        var attributes = json.putArray("attributes");
        attributes(span.attributes(), attributes);
        span.error().ifPresent(why -> {
            attributes(Map.of("error.type", why), attributes);
            json.putObject("status").put("code", ERROR).put("message", why);
        });
        for (var moment : span.moments()) {
            json.withArray("events")
                    .addObject()
                    .put("timeUnixNano", nanos(moment.at()))
                    .put("name", moment.name());
        }
        span.link()
                .ifPresent(link -> json.putArray("links")
                        .addObject()
                        .put("traceId", link.trace())
                        .put("spanId", link.span()));
    }

    private static void attributes(Map<String, Object> attributes, ArrayNode json) {
        attributes.forEach((name, value) -> {
            var holder = json.addObject().put("key", name).putObject("value");
            switch (value) {
                case Long number -> holder.put("intValue", number.toString());
                case Double number -> holder.put("doubleValue", number);
                case Boolean flag -> holder.put("boolValue", flag);
                default -> holder.put("stringValue", value.toString());
            }
        });
    }

    private static String nanos(Instant at) {
        return "%d%09d".formatted(at.getEpochSecond(), at.getNano());
    }
}
