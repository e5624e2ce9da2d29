package dev.roost.daemon.rest;

import dev.roost.daemon.http.Authenticator;
import dev.roost.daemon.http.HttpRoute;
import dev.roost.daemon.http.WebRequest;
import dev.roost.daemon.telemetry.MetricsRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Monitoring of the daemon: {@code /readyz} without a token, {@code /metrics} for the operator. */
public record MetricsRoute(MetricsRegistry metrics) implements HttpRoute {

    @Override
    public boolean matches(WebRequest request) {
        return request.path().equals("/readyz") || request.path().equals("/metrics");
    }

    @Override
    public void serve(WebRequest request, Authenticator authenticator) throws IOException {
        if (request.path().equals("/metrics")) authenticator.authenticateForMetrics(request);
        request.only("GET", "HEAD");
        if (request.path().equals("/metrics")) {
            var page = metrics.page(request.headers("Accept"));
            request.answer(200, page.type(), page.bytes());
            return;
        }
        var trouble = metrics.trouble();
        if (trouble.isPresent()) throw trouble.get();
        request.answer(200, "text/plain", "ready".getBytes(StandardCharsets.UTF_8));
    }
}
