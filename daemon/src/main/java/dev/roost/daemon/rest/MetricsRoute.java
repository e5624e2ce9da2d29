package dev.roost.daemon.rest;

import dev.roost.daemon.http.HttpError;
import dev.roost.daemon.http.WebRequest;
import dev.roost.daemon.telemetry.MetricsRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Monitoring of the daemon: {@code /readyz} without a token, {@code /metrics} for the operator. */
record MetricsRoute(MetricsRegistry metrics) {

    void ready(WebRequest request) throws IOException {
        request.only("GET", "HEAD");
        var trouble = metrics.trouble();
        if (trouble.isPresent()) throw new HttpError(503, trouble.get());
        request.answer(200, "text/plain", "ready".getBytes(StandardCharsets.UTF_8));
    }

    void meters(WebRequest request) throws IOException {
        request.only("GET", "HEAD");
        var page = metrics.page(request.headers("Accept"));
        request.answer(200, page.type(), page.bytes());
    }
}
