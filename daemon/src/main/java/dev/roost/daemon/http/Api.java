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

    Api(House house, ToolAgents agents, Clock clock) {
        this.table = new ApiTable(routes(house, agents, new Seats(Seats.MOST, Seats.MOST_OF_ONE), clock));
    }

    private static List<ApiRoute> routes(House house, ToolAgents agents, Seats seats, Clock clock) {
        var runs = new RunCalls(house);
        var notices = new NoticeCalls(house);
        var overview = new OverviewCalls(house);
        var output = ApiRoute.of("GET", "/runs/{run_id}/output", runs.output(), "session_id", "follow");
        return List.of(
                ApiRoute.of("GET", "/runs", runs.list()),
                new ApiRoute("POST", "/runs", ApiStart.FIELDS, new ApiStart(house, new Starting(house, agents))),
                ApiRoute.of("GET", "/runs/{run_id}", runs.show()),
                ApiRoute.of("POST", "/runs/{run_id}/stop", runs.stop()),
                ApiRoute.of(
                        "POST", "/runs/{run_id}/send", List.of(Field.text("message")), call -> send(house, runs, call)),
                new ApiRoute(output.method(), output.path(), output.fields(), new OutputFollow(house, runs, seats)),
                ApiRoute.of("GET", "/owners", overview.owners()),
                ApiRoute.of("GET", "/notices", notices.inbox()),
                ApiRoute.of("POST", "/notices/acknowledge", notices.acknowledge()),
                ApiRoute.of("GET", "/pauses", overview.pauses()),
                ApiRoute.of("GET", "/agents", ApiAgents.FIELDS, new ApiAgents(house, agents)),
                ApiRoute.of("GET", "/nodes", new NodeCalls(house).list()),
                ApiRoute.of("GET", "/spend", overview.spend()),
                new ApiRoute("GET", "/events", EventFollow.FIELDS, new EventFollow(house, seats, clock)),
                new ApiRoute("GET", "/openapi.json", List.of(), OpenApi::serve));
    }

    /** Whoever has a token is not known to be a person, the operator's least of all: it may lie anywhere. */
    private static Reply send(House house, RunCalls runs, ApiCall call) {
        var speaker = new Caller(call.caller().owner(), false);
        var client = new TokenClient(house, call.bearer(), speaker.owner(), call.visit(), false);
        return runs.send(speaker, client.callKey("")).answer(call.fields(), call.caller());
    }

    static Refused notYourOwner() {
        return new Refused(
                "not_your_owner", "This token does not act for that owner.", "Omit owner, or use the owner's token.");
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
