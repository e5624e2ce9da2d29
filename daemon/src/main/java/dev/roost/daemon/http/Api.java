package dev.roost.daemon.http;

import dev.roost.daemon.calls.Field;
import dev.roost.daemon.calls.NodeCalls;
import dev.roost.daemon.calls.NoticeCalls;
import dev.roost.daemon.calls.OverviewCalls;
import dev.roost.daemon.calls.Reply;
import dev.roost.daemon.calls.RunCalls;
import dev.roost.daemon.mcp.Starting;
import dev.roost.daemon.mcp.ToolAgents;
import dev.roost.house.Caller;
import dev.roost.house.House;
import dev.roost.run.Clock;
import dev.roost.run.Refused;
import java.io.IOException;
import java.util.List;

/** {@code /api/v1}: what programs can ask, in one table. openapi.json describes it for others. */
final class Api {

    static final String PREFIX = "/api/v1";

    private final ApiTable table;

    Api(House roost, ToolAgents agents, Clock clock) {
        this.table = new ApiTable(routes(roost, agents, new Seats(Seats.MOST, Seats.MOST_OF_ONE), clock));
    }

    private static List<ApiRoute> routes(House roost, ToolAgents agents, Seats seats, Clock clock) {
        var runs = new RunCalls(roost);
        var notices = new NoticeCalls(roost);
        var overview = new OverviewCalls(roost);
        var output = ApiRoute.of("GET", "/runs/{run_id}/output", runs.output(), "session_id", "follow");
        return List.of(
                ApiRoute.of("GET", "/runs", runs.list()),
                new ApiRoute("POST", "/runs", ApiStart.FIELDS, new ApiStart(roost, new Starting(roost, agents))),
                ApiRoute.of("GET", "/runs/{run_id}", runs.show()),
                ApiRoute.of("POST", "/runs/{run_id}/stop", runs.stop()),
                ApiRoute.of(
                        "POST", "/runs/{run_id}/send", List.of(Field.text("message")), call -> send(roost, runs, call)),
                new ApiRoute(output.method(), output.path(), output.fields(), new OutputFollow(roost, runs, seats)),
                ApiRoute.of("GET", "/owners", overview.owners()),
                ApiRoute.of("GET", "/notices", notices.inbox()),
                ApiRoute.of("POST", "/notices/acknowledge", notices.acknowledge()),
                ApiRoute.of("GET", "/pauses", overview.pauses()),
                ApiRoute.of("GET", "/agents", ApiAgents.FIELDS, new ApiAgents(roost, agents)),
                ApiRoute.of("GET", "/nodes", new NodeCalls(roost).list()),
                ApiRoute.of("GET", "/spend", overview.spend()),
                new ApiRoute("GET", "/events", EventFollow.FIELDS, new EventFollow(roost, seats, clock)),
                new ApiRoute("GET", "/openapi.json", List.of(), OpenApi::serve));
    }

    /** Whoever has a token is not known to be a person, the operator's least of all: it may lie anywhere. */
    private static Reply send(House roost, RunCalls runs, ApiCall call) {
        var speaker = new Caller(call.caller().owner(), false);
        var client = new TokenClient(roost, call.bearer(), speaker.owner(), call.visit(), false);
        return runs.send(speaker, client.callKey("")).answer(call.fields(), call.caller());
    }

    static Refused notYourOwner() {
        return new Refused(
                "not_your_owner",
                "This token does not act for that owner.",
                "Leave owner away, or use the owner's token.");
    }

    ApiTable table() {
        return table;
    }

    /** What is not here is not here for anybody, so that is said before who asks. */
    void serve(Visit visit, Door door) throws IOException, InterruptedException {
        var found = table.find(visit);
        var bearer = door.open(visit);
        found.route().doing().serve(ApiCall.of(visit, bearer, found.route(), found.values()));
    }
}
