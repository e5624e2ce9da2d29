package dev.roost.daemon.rest;

import dev.roost.daemon.api.RunJson;
import dev.roost.daemon.api.RunOperations;
import dev.roost.daemon.http.SseEvent;
import dev.roost.daemon.http.StreamLimit;
import dev.roost.output.OutputPage;
import dev.roost.service.RoostService;
import java.io.IOException;
import java.time.Duration;

/** The output of a run: one page as JSON, or, for a client that accepts events, a stream from the cursor to the run's end. */
record OutputRoute(RoostService service, RunOperations runs, StreamLimit streamLimit)
        implements RestRoute.RouteHandler {

    @Override
    public void serve(RestRequest call) throws IOException, InterruptedException {
        if (call.wantsEvents() && !call.request().isHead()) follow(call);
        else call.answer(200, runs.output().answer(call.fields(), call.caller()));
    }

    private void follow(RestRequest call) throws IOException {
        call.lastEventId().ifPresent(cursor -> call.fields().put("cursor", cursor));
        var requestFields = call.params();
        requestFields.timeout(
                "timeout_ms", Duration.ofSeconds(30)); // no effect on a stream, but an invalid value is refused
        requestFields.flag("block");
        var run = service.find(requestFields.required("run_id"), call.caller());
        var request = RunOperations.request(requestFields, OutputPage.WaitMode.NEWS, EventsRoute.SILENCE);
        var output = service.output(run, RunOperations.request(requestFields, OutputPage.WaitMode.NOW, Duration.ZERO));
        try (var _ = streamLimit.acquire(call.principal().id());
                var events = call.request().events()) {
            while (true) {
                if (!output.text().isEmpty()) events.send(outputEvent(output).text());
                if (output.attempt().status().ended() && !output.more()) break;
                if (output.text().isEmpty()) events.send(": \n\n");
                output = service.output(run, from(request, output.nextCursor()));
            }
            events.send(": \n\n"); // a write to a disconnected client fails only the second time
            events.send(end(call, output).text());
        }
        runs.markRead(output, call.caller());
    }

    private static OutputPage.Request from(OutputPage.Request request, long cursor) {
        return new OutputPage.Request(request.attempt(), cursor, request.until(), request.timeout());
    }

    private static SseEvent outputEvent(OutputPage output) {
        var data = RunJson.MAPPER.createObjectNode();
        data.put("run_id", output.run().id().text())
                .put("attempt", output.attempt().n())
                .put("text", output.text())
                .put("next_cursor", output.nextCursor());
        return new SseEvent(output.nextCursor(), "output", data);
    }

    private SseEvent end(RestRequest call, OutputPage output) {
        var run = new RunJson(service).output(output);
        run.remove("text");
        call.holder().ifPresent(holder -> new ContainerPaths(holder.scope()).rename(run));
        return new SseEvent(output.nextCursor(), "end", run);
    }
}
