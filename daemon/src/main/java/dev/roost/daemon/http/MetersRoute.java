package dev.roost.daemon.http;

import dev.roost.daemon.meters.Instruments;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** What watches a daemon from outside: {@code /readyz} for anybody here, {@code /metrics} for the operator. */
record MetersRoute(Instruments instruments) {

    void ready(Visit visit) throws IOException {
        visit.only("GET", "HEAD");
        var trouble = instruments.trouble();
        if (trouble.isPresent()) throw new Rejected(503, trouble.get());
        visit.answer(200, "text/plain", "ready".getBytes(StandardCharsets.UTF_8));
    }

    void meters(Visit visit) throws IOException {
        visit.only("GET", "HEAD");
        var page = instruments.page(visit.headers("Accept"));
        visit.answer(200, page.type(), page.bytes());
    }
}
