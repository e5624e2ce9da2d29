package dev.roost.daemon.rest;

import dev.roost.base.Clock;
import dev.roost.daemon.api.FieldSpec;
import dev.roost.daemon.api.RunJson;
import dev.roost.daemon.api.RunOperations;
import dev.roost.daemon.http.SseStream;
import dev.roost.daemon.http.StreamLimit;
import dev.roost.ledger.record.FeedEvent;
import dev.roost.service.RoostService;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/** Streams the events of runs. Each reader reads them from the ledger at its own pace; no events are buffered for it. */
record EventsRoute(RoostService service, RunOperations runs, StreamLimit streamLimit, Clock clock)
        implements RestRoute.RouteHandler {

    static final List<FieldSpec> FIELDS =
            List.of(FieldSpec.Kind.TEXT.named("owner"), FieldSpec.Kind.NUMBER.named("after"));
    private static final int AT_ONCE = 100;

    @Override
    public void serve(RestRequest call) throws IOException, InterruptedException {
        var requestFields = call.params();
        var owner = runs.owner(requestFields, call.caller());
        long newest = service.changes().newestEvent();
        long asked = call.lastEventId().or(() -> requestFields.number("after")).orElse(newest);
        if (call.request().isHead()) {
            call.request().answer(200, "text/event-stream", new byte[0]);
            return;
        }
        long from = Math.min(asked, newest);
        try (var _ = streamLimit.acquire(call.principal().id());
                var events = call.request().events()) {
            var follower = service.changes().follow(from, owner, call.caller());
            events.send(first(asked, newest));
            long sentAt = clock.monotonicNanos();
            while (!follower.isOver()) {
                var left = SseStream.SILENCE.minusNanos(clock.monotonicNanos() - sentAt);
                var page = follower.next(AT_ONCE, left.isNegative() ? Duration.ZERO : left);
                if (page.events().isEmpty() && clock.monotonicNanos() - sentAt < SseStream.SILENCE.toNanos()) continue;
                events.send(page.events().isEmpty() ? ": \n\n" : text(page.events()));
                sentAt = clock.monotonicNanos();
            }
        }
    }

    /** The first event of a stream: {@code reset} if the requested number is from another ledger or from before a restore. */
    private static String first(long asked, long newest) {
        var data = RunJson.MAPPER.createObjectNode().put("seq", Math.min(asked, newest));
        return asked > newest
                ? SseStream.text(newest, "reset", data.put("asked", asked))
                : SseStream.text(asked, "begin", data);
    }

    private static String text(List<FeedEvent> events) {
        return events.stream()
                .map(one -> SseStream.text(one.seq(), one.event().kind(), json(one)))
                .collect(Collectors.joining());
    }

    private static ObjectNode json(FeedEvent one) {
        return RunJson.MAPPER
                .createObjectNode()
                .put("seq", one.seq())
                .put("run_id", one.run().text())
                .put("owner", one.owner().id())
                .put("attempt", one.event().attempt())
                .put("at", one.event().at().toString())
                .put("kind", one.event().kind())
                .put("text", one.event().text());
    }
}
