package dev.roost.daemon.http;

import dev.roost.daemon.calls.Field;
import dev.roost.daemon.wire.Json;
import dev.roost.house.House;
import dev.roost.ledger.Happening;
import dev.roost.run.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/** What happens to runs, as it happens. Each reader has it from the ledger at its own pace: for nobody is anything kept. */
record EventFollow(House house, Seats seats, Clock clock) implements ApiRoute.Doing {

    static final List<Field> FIELDS = List.of(Field.text("owner"), Field.number("after"));
    static final Duration SILENCE = EventStream.SILENCE;
    private static final int AT_ONCE = 100;

    @Override
    public void serve(ApiCall call) throws IOException, InterruptedException {
        var params = call.params();
        var owner = params.text("owner").map(house::owner);
        if (!call.caller().mayActFor(owner)) throw Api.notYourOwner();
        long newest = house.watching().newestEvent();
        long asked = call.lastEventId().or(() -> params.number("after")).orElse(newest);
        if (call.visit().isHead()) {
            call.visit().answer(200, "text/event-stream", new byte[0]);
            return;
        }
        long from = Math.min(asked, newest);
        try (var _ = seats.take(call.bearer().id());
                var follower = house.watching().follow(from, owner, call.caller());
                var events = call.visit().events()) {
            events.send(first(asked, newest).text());
            long spoke = clock.monotonicNanos();
            while (!follower.isOver()) {
                var left = SILENCE.minusNanos(clock.monotonicNanos() - spoke);
                var page = follower.next(AT_ONCE, left.isNegative() ? Duration.ZERO : left);
                if (page.events().isEmpty() && clock.monotonicNanos() - spoke < SILENCE.toNanos()) continue;
                events.send(page.events().isEmpty() ? ": \n\n" : text(page.events()));
                spoke = clock.monotonicNanos();
            }
        }
    }

    /** A number that was never given is of another ledger, or of this one before it was put back from a copy. */
    private static Sse first(long asked, long newest) {
        var data = Json.MAPPER.createObjectNode().put("seq", Math.min(asked, newest));
        return asked > newest ? new Sse(newest, "reset", data.put("asked", asked)) : new Sse(asked, "begin", data);
    }

    private static String text(List<Happening> events) {
        return events.stream()
                .map(one -> new Sse(one.seq(), one.event().kind(), json(one)).text())
                .collect(Collectors.joining());
    }

    private static ObjectNode json(Happening one) {
        return Json.MAPPER
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
