package dev.roost.daemon.testing;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.TextFormat;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** A collector that reads requests by OpenTelemetry's own schema, and reports fields that are not in it. */
public final class OtlpCollector implements AutoCloseable {

    private final HttpServer server;
    public final List<Span> spans = new CopyOnWriteArrayList<>();
    public final List<String> bodies = new CopyOnWriteArrayList<>();
    public final List<String> formats = new CopyOnWriteArrayList<>();
    public final List<String> keys = new CopyOnWriteArrayList<>();
    public final List<String> faults = new CopyOnWriteArrayList<>();
    public final List<Integer> answers = new CopyOnWriteArrayList<>();
    public volatile int answer = 200;
    public volatile long rejected;
    /** Answers stop after their head. */
    public volatile boolean stalling;

    public OtlpCollector() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/traces", this::take);
        server.start();
    }

    public String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void take(HttpExchange exchange) throws IOException {
        var body = exchange.getRequestBody().readAllBytes();
        int status = answer;
        answers.add(status);
        if (stalling) {
            exchange.sendResponseHeaders(status, 100);
            exchange.getResponseBody().flush();
            return;
        }
        if (status == 200) {
            formats.add(String.valueOf(exchange.getRequestHeaders().getFirst("Content-Type")));
            keys.add(String.valueOf(exchange.getRequestHeaders().getFirst("X-Key")));
            try {
                var request = ExportTraceServiceRequest.parseFrom(body);
                bodies.add(TextFormat.printer().printToString(request));
                if (hasUnknownFields(request)) faults.add("unknown fields: " + request);
                request.getResourceSpansList()
                        .forEach(one -> one.getScopeSpansList().forEach(scope -> spans.addAll(scope.getSpansList())));
            } catch (IOException | RuntimeException e) {
                faults.add(e + ": " + ByteString.copyFrom(body).toStringUtf8());
            }
        }
        var response = ExportTraceServiceResponse.newBuilder();
        if (rejected > 0)
            response.getPartialSuccessBuilder().setRejectedSpans(rejected).setErrorMessage("too old");
        var bytes = response.build().toByteArray();
        exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static boolean hasUnknownFields(MessageOrBuilder message) {
        if (!message.getUnknownFields().asMap().isEmpty()) return true;
        for (var value : message.getAllFields().values()) {
            for (var one : value instanceof List<?> list ? list : List.of(value))
                if (one instanceof MessageOrBuilder child && hasUnknownFields(child)) return true;
        }
        return false;
    }

    public static String hex(ByteString id) {
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
