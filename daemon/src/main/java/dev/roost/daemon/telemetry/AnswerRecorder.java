package dev.roost.daemon.telemetry;

import dev.roost.daemon.telemetry.OtlpClient.ExportResult;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.HttpResponse;
import io.opentelemetry.sdk.common.export.HttpSender;
import io.opentelemetry.sdk.common.export.MessageWriter;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Records the collector's last answer before the exporter gets it; the exporter only reports whether a request failed. */
record AnswerRecorder(HttpSender sender, AtomicReference<ExportResult> last) implements HttpSender {

    private static final byte PARTIAL_SUCCESS = 1 << 3 | 2; // field 1, a message
    private static final byte REJECTED_SPANS = 1 << 3; // field 1 of that, a number

    @Override
    public void send(MessageWriter message, Consumer<HttpResponse> onResponse, Consumer<Throwable> onError) {
        Consumer<HttpResponse> recordResponse = response -> last.set(result(response));
        Consumer<Throwable> recordError = e -> last.set(new ExportResult.Failure("no answer: " + kind(e)));
        sender.send(message, recordResponse.andThen(onResponse), recordError.andThen(onError));
    }

    @Override
    public CompletableResultCode shutdown() {
        return sender.shutdown();
    }

    private static ExportResult result(HttpResponse response) {
        return response.getStatusCode() / 100 == 2
                ? new ExportResult.Accepted(rejected(response.getResponseBody()))
                : new ExportResult.Failure("answered %d".formatted(response.getStatusCode()));
    }

    /** Reads {@code partial_success.rejected_spans} of an ExportTraceServiceResponse; some collectors send an empty body. */
    private static long rejected(byte[] body) {
        var rest = ByteBuffer.wrap(body);
        try {
            if (rest.get() != PARTIAL_SUCCESS) return 0;
            number(rest); // its length
            return rest.get() == REJECTED_SPANS ? number(rest) : 0;
        } catch (BufferUnderflowException e) {
            return 0;
        }
    }

    /** Seven bits in each byte, the lowest first; the eighth bit says that another byte follows. */
    private static long number(ByteBuffer rest) {
        long number = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = rest.get();
            number |= (next & 0x7fL) << shift;
            if (next >= 0) return number;
        }
    }

    /** Without the message, which may contain secrets of the address. */
    private static String kind(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) cause = cause.getCause();
        return cause.getClass().getSimpleName();
    }
}
