package dev.roost.daemon.testing;

import com.google.protobuf.util.JsonFormat;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A collector that reads what it is sent by OpenTelemetry's own schema, and refuses what is not in that. */
public final class OtlpCollector implements AutoCloseable {

    private final HttpServer server;
    public final List<Span> spans = new CopyOnWriteArrayList<>();
    public final List<String> bodies = new CopyOnWriteArrayList<>();
    public final List<String> keys = new CopyOnWriteArrayList<>();
    public final List<String> faults = new CopyOnWriteArrayList<>();
    public volatile int answer = 200;

    public OtlpCollector() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/traces", this::take);
        server.start();
    }

    public String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void take(HttpExchange exchange) throws IOException {
        var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        int status = answer;
        if (status == 200) {
            bodies.add(body);
            keys.add(String.valueOf(exchange.getRequestHeaders().getFirst("X-Key")));
            try {
                var json = DaemonFixture.JSON.readTree(body);
                asProtobufSpellsIt(json);
                var request = ExportTraceServiceRequest.newBuilder();
                JsonFormat.parser().merge(json.toString(), request);
                request.getResourceSpansList()
                        .forEach(one -> one.getScopeSpansList().forEach(scope -> spans.addAll(scope.getSpansList())));
            } catch (IOException | RuntimeException e) {
                faults.add(e + ": " + body);
            }
        }
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, 2);
        exchange.getResponseBody().write("{}".getBytes(StandardCharsets.UTF_8));
        exchange.close();
    }

    /** OTLP writes ids in hexadecimal, where protobuf's own JSON has base64; all else is the same. */
    private static void asProtobufSpellsIt(JsonNode json) {
        for (var id : List.of("traceId", "spanId", "parentSpanId")) {
            if (json instanceof ObjectNode object && object.path(id).isString()) {
                var bytes = HexFormat.of().parseHex(object.path(id).asString());
                object.put(id, Base64.getEncoder().encodeToString(bytes));
            }
        }
        for (var child : json) asProtobufSpellsIt(child);
    }

    public static String hex(com.google.protobuf.ByteString id) {
        return HexFormat.of().formatHex(id.toByteArray());
    }

    public static Map<String, Object> attributes(Span span) {
        return span.getAttributesList().stream()
                .collect(Collectors.toMap(
                        one -> one.getKey(), one -> switch (one.getValue().getValueCase()) {
                            case INT_VALUE -> (Object) one.getValue().getIntValue();
                            case DOUBLE_VALUE -> one.getValue().getDoubleValue();
                            default -> one.getValue().getStringValue();
                        }));
    }

    public List<Span> named(String name) {
        return spans.stream().filter(span -> span.getName().equals(name)).toList();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
