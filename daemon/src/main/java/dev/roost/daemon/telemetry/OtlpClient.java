package dev.roost.daemon.telemetry;

import dev.roost.daemon.api.RunJson;
import dev.roost.daemon.config.TelemetrySettings;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.core.JacksonException;

/** Sends spans to the collector. */
final class OtlpClient implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Set<Integer> RETRYABLE = Set.of(429, 502, 503, 504);

    private final TelemetrySettings settings;
    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(LIMIT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .version(HttpClient.Version.HTTP_1_1)
            .build();

    OtlpClient(TelemetrySettings settings) {
        this.settings = settings;
    }

    /** The result of a request. */
    sealed interface ExportResult {
        /** {@code rejected}: the number of spans that the collector refused. */
        record Accepted(long rejected) implements ExportResult {}

        record RetryLater(String why) implements ExportResult {}

        record Rejected(String why) implements ExportResult {}
    }

    ExportResult send(byte[] body) throws InterruptedException {
        var request = HttpRequest.newBuilder(settings.traces())
                .timeout(LIMIT)
                .header("Content-Type", "application/json")
                .header("User-Agent", "roost");
        settings.headers().forEach(request::setHeader);
        var future = client.sendAsync(
                request.POST(HttpRequest.BodyPublishers.ofByteArray(body)).build(),
                HttpResponse.BodyHandlers.ofString());
        try {
            var response = future.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            if (response.statusCode() / 100 == 2) return new ExportResult.Accepted(rejected(response.body()));
            var why = "answered %d".formatted(response.statusCode());
            return RETRYABLE.contains(response.statusCode())
                    ? new ExportResult.RetryLater(why)
                    : new ExportResult.Rejected(why);
        } catch (TimeoutException e) {
            return new ExportResult.RetryLater("no answer in time");
        } catch (ExecutionException e) {
            return new ExportResult.RetryLater("no answer: " + reason(e));
        } finally {
            future.cancel(true);
        }
    }

    private static long rejected(String body) {
        try {
            return RunJson.MAPPER
                    .readTree(body)
                    .path("partialSuccess")
                    .path("rejectedSpans")
                    .asLong(0);
        } catch (JacksonException e) {
            return 0; // some collectors send an empty body
        }
    }

    /** Only the kind of failure: the message may contain secrets of the address. */
    private static String reason(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) cause = cause.getCause();
        return cause.getClass().getSimpleName();
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
