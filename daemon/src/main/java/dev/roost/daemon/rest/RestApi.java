package dev.roost.daemon.rest;

import dev.roost.base.Clock;
import dev.roost.base.Refusal;
import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.FieldSpec;
import dev.roost.daemon.api.NodeOperations;
import dev.roost.daemon.api.NoticeOperations;
import dev.roost.daemon.api.ReportOperations;
import dev.roost.daemon.api.RunOperations;
import dev.roost.daemon.http.Authenticator;
import dev.roost.daemon.http.StreamLimit;
import dev.roost.daemon.http.WebRequest;
import dev.roost.daemon.mcp.AllowedAgents;
import dev.roost.daemon.mcp.ToolRunStarter;
import dev.roost.model.Caller;
import dev.roost.service.RoostService;
import java.io.IOException;
import java.util.List;

/** {@code /api/v1}: all routes in one table. openapi.json describes them. */
final class RestApi {

    static final String PREFIX = "/api/v1";

    private final RouteTable table;

    RestApi(RoostService service, AllowedAgents agents, Clock clock) {
        this.table = new RouteTable(
                routes(service, agents, new StreamLimit(StreamLimit.MOST, StreamLimit.MOST_OF_ONE), clock));
    }

    private static List<RestRoute> routes(
            RoostService service, AllowedAgents agents, StreamLimit streamLimit, Clock clock) {
        var runs = new RunOperations(service);
        var notices = new NoticeOperations(service);
        var overview = new ReportOperations(service);
        var output = RestRoute.of("GET", "/runs/{run_id}/output", runs.output(), "session_id", "follow");
        return List.of(
                RestRoute.of("GET", "/runs", runs.list()),
                new RestRoute(
                        "POST",
                        "/runs",
                        StartRunRoute.FIELDS,
                        new StartRunRoute(service, new ToolRunStarter(service, agents))),
                RestRoute.of("GET", "/runs/{run_id}", runs.show()),
                RestRoute.of("POST", "/runs/{run_id}/stop", runs.stop()),
                RestRoute.of(
                        "POST",
                        "/runs/{run_id}/send",
                        List.of(FieldSpec.text("message")),
                        call -> send(service, runs, call)),
                new RestRoute(
                        output.method(), output.path(), output.fields(), new OutputRoute(service, runs, streamLimit)),
                RestRoute.of("GET", "/owners", overview.owners()),
                RestRoute.of("GET", "/notices", notices.inbox()),
                RestRoute.of("POST", "/notices/acknowledge", notices.acknowledge()),
                RestRoute.of("GET", "/pauses", overview.pauses()),
                RestRoute.of("GET", "/agents", AgentsRoute.FIELDS, new AgentsRoute(service, agents)),
                RestRoute.of("GET", "/nodes", new NodeOperations(service).list()),
                RestRoute.of("GET", "/spend", overview.spend()),
                new RestRoute("GET", "/events", EventsRoute.FIELDS, new EventsRoute(service, streamLimit, clock)),
                new RestRoute("GET", "/openapi.json", List.of(), OpenApiRoute::serve));
    }

    /** Sends as a program: a token, and even the operator's, does not prove that a person sends it. */
    private static ApiReply send(RoostService service, RunOperations runs, RestRequest call) {
        var speaker = new Caller(call.caller().owner(), false);
        var client = new TokenClient(service, call.principal(), speaker.owner(), call.request(), false);
        return runs.send(speaker, client.callKey("")).answer(call.fields(), call.caller());
    }

    static Refusal notYourOwner() {
        return new Refusal(
                "not_your_owner", "This token does not act for that owner.", "Omit owner, or use the owner's token.");
    }

    RouteTable table() {
        return table;
    }

    /** Finds the route before it checks the token, so an unknown route is 404 for every client. */
    void serve(WebRequest request, Authenticator authenticator) throws IOException, InterruptedException {
        var found = table.find(request);
        var principal = authenticator.authenticate(request);
        found.route().handler().serve(RestRequest.of(request, principal, found.route(), found.values()));
    }
}
