package dev.roost.daemon.rest;

import dev.roost.daemon.api.RunJson;
import dev.roost.daemon.api.RunOperations;
import dev.roost.daemon.http.SseStream;
import dev.roost.daemon.http.StreamLimit;
import dev.roost.output.OutputPage;
import dev.roost.service.RoostService;
import java.io.IOException;

/** The output of a run: one page as JSON, or, for a client that accepts events, a stream from the cursor to the run's end. */
record OutputRoute(RoostService service, RunOperations runs, StreamLimit streamLimit)
        implements RestRoute.RouteHandler {

    @Override
    public void serve(RestRequest call) throws IOException, InterruptedException {
        if (call.request().takesEvents() && !call.request().isHead()) follow(call);
        else call.answer(200, runs.output().answer(call.fields(), call.caller()));
    }

    private void follow(RestRequest call) throws IOException {
        call.lastEventId().ifPresent(cursor -> call.fields().put("cursor", cursor));
        var requestFields = call.params();
        var run = service.find(requestFields.required("run_id"), call.caller());
        var request = RunOperations.request(requestFields); // block and timeout_ms have no effect on a stream
        var output = service.output(run, from(request, request.cursor(), OutputPage.WaitMode.NOW));
        try (var _ = streamLimit.acquire(call.principal().id());
                var events = call.request().events()) {
            while (true) {
                if (!output.text().isEmpty()) events.send(outputEvent(output));
                if (output.attempt().status().ended() && !output.more()) break;
                if (output.text().isEmpty()) events.send(": \n\n");
                output = service.output(run, from(request, output.nextCursor(), OutputPage.WaitMode.NEWS));
            }
            events.send(": \n\n"); // a write to a disconnected client fails only the second time
            events.send(end(call, output));
        }
        service.markRead(output, call.caller());
    }

    private static OutputPage.Request from(OutputPage.Request request, long cursor, OutputPage.WaitMode until) {
        return new OutputPage.Request(request.attempt(), cursor, until, SseStream.SILENCE);
    }

    private static String outputEvent(OutputPage output) {
        var data = RunJson.MAPPER.createObjectNode();
        data.put("run_id", output.run().id().text())
                .put("attempt", output.attempt().n())
                .put("text", output.text())
                .put("next_cursor", output.nextCursor());
        return SseStream.text(output.nextCursor(), "output", data);
    }

    private String end(RestRequest call, OutputPage output) {
        var run = new RunJson(service).output(output);
        run.remove("text");
        call.translatePaths(run);
        return SseStream.text(output.nextCursor(), "end", run);
    }
}
