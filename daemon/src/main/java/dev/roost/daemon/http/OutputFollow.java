package dev.roost.daemon.http;

import dev.roost.daemon.calls.RunCalls;
import dev.roost.daemon.wire.Json;
import dev.roost.house.House;
import dev.roost.house.Output;
import java.io.IOException;
import java.time.Duration;

/** What a run says: a part of it, or for who takes events all of it from the cursor on, as it is said, up to the end. */
record OutputFollow(House house, RunCalls runs, Seats seats) implements ApiRoute.Doing {

    @Override
    public void serve(ApiCall call) throws IOException, InterruptedException {
        if (call.wantsEvents() && !call.visit().isHead()) follow(call);
        else call.answer(200, runs.output().answer(call.fields(), call.caller()));
    }

    private void follow(ApiCall call) throws IOException {
        call.lastEventId().ifPresent(cursor -> call.fields().put("cursor", cursor));
        var params = call.params();
        params.timeout(
                "timeout_ms", Duration.ofSeconds(30)); // without effect here, and refused all the same if it is none
        params.flag("block");
        var run = house.find(params.required("run_id"), call.caller());
        var request = RunCalls.request(params, Output.Until.NEWS, EventFollow.SILENCE);
        var output = house.output(run, RunCalls.request(params, Output.Until.NOW, Duration.ZERO));
        try (var _ = seats.take(call.bearer().id());
                var events = call.visit().events()) {
            while (true) {
                if (!output.text().isEmpty()) events.send(said(output).text());
                if (output.attempt().status().ended() && !output.more()) break;
                if (output.text().isEmpty()) events.send(": \n\n");
                output = house.output(run, from(request, output.nextCursor()));
            }
            events.send(": \n\n"); // to one who is gone the first write succeeds and the second fails
            events.send(end(call, output).text());
        }
        runs.wasRead(output, call.caller());
    }

    private static Output.Request from(Output.Request request, long cursor) {
        return new Output.Request(request.attempt(), cursor, request.until(), request.timeout());
    }

    private static Sse said(Output output) {
        var data = Json.MAPPER.createObjectNode();
        data.put("run_id", output.run().id().text())
                .put("attempt", output.attempt().n())
                .put("text", output.text())
                .put("next_cursor", output.nextCursor());
        return new Sse(output.nextCursor(), "output", data);
    }

    private Sse end(ApiCall call, Output output) {
        var run = new Json(house).output(output);
        run.remove("text");
        call.holder().ifPresent(holder -> new Inside(holder.scope()).rename(run));
        return new Sse(output.nextCursor(), "end", run);
    }
}
