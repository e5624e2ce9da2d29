package dev.roost.daemon.rest;

import dev.roost.base.Clock;
import dev.roost.base.ErrorCode;
import dev.roost.daemon.api.AgentOperations;
import dev.roost.daemon.api.AllowedAgents;
import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.FieldSpec;
import dev.roost.daemon.api.NodeOperations;
import dev.roost.daemon.api.NoticeOperations;
import dev.roost.daemon.api.ReportOperations;
import dev.roost.daemon.api.RunJson;
import dev.roost.daemon.api.RunOperations;
import dev.roost.daemon.http.Authenticator;
import dev.roost.daemon.http.HttpError;
import dev.roost.daemon.http.HttpRoute;
import dev.roost.daemon.http.RequestLimits;
import dev.roost.daemon.http.StreamLimit;
import dev.roost.daemon.http.WebRequest;
import dev.roost.service.RoostService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import tools.jackson.databind.node.ArrayNode;

/** {@code /api/v1}: all routes in one table. openapi.json describes them. */
public final class RestApi implements HttpRoute {

    static final String PREFIX = "/api/v1";
    static final String DESCRIPTION = "openapi.json";

    private final RoostService service;
    private final RunOperations runs;
    private final AllowedAgents agents;
    private final List<RestRoute> routes;

    public RestApi(RoostService service, RunOperations runs, AllowedAgents agents, Clock clock) {
        this.service = service;
        this.runs = runs;
        this.agents = agents;
        this.routes = routes(new StreamLimit(StreamLimit.MOST, StreamLimit.MOST_OF_ONE), clock);
    }

    private List<RestRoute> routes(StreamLimit streamLimit, Clock clock) {
        var notices = new NoticeOperations(service);
        var reports = new ReportOperations(service);
        var start = FieldSpec.without(
                RunOperations.START, "agent_if_known", "argv", "run_in_background", "umask", "worktree");
        var output = FieldSpec.without(RunOperations.OUTPUT, "follow", "run_id", "session_id");
        return List.of(
                RestRoute.of("GET", "/runs", runs.list()),
                new RestRoute("POST", "/runs", start, this::start),
                RestRoute.of("GET", "/runs/{run_id}", runs.show()),
                RestRoute.of("POST", "/runs/{run_id}/stop", runs.stop()),
                RestRoute.of(
                        "POST", "/runs/{run_id}/send", FieldSpec.without(RunOperations.SEND, "question"), this::send),
                new RestRoute("GET", "/runs/{run_id}/output", output, new OutputRoute(service, runs, streamLimit)),
                RestRoute.of("GET", "/owners", reports.owners()),
                RestRoute.of("GET", "/notices", notices.inbox()),
                RestRoute.of("POST", "/notices/acknowledge", notices.acknowledge()),
                RestRoute.of("GET", "/pauses", reports.pauses()),
                RestRoute.of("GET", "/agents", List.of(FieldSpec.Kind.TEXT.named("cwd")), this::agents),
                RestRoute.of("GET", "/nodes", new NodeOperations(service).list()),
                RestRoute.of("GET", "/spend", reports.spend()),
                new RestRoute("GET", "/events", EventsRoute.FIELDS, new EventsRoute(service, runs, streamLimit, clock)),
                new RestRoute("GET", "/openapi.json", List.of(), RestApi::describe));
    }

    List<RestRoute> routes() {
        return routes;
    }

    @Override
    public boolean matches(WebRequest request) {
        return request.rawPath().startsWith(PREFIX + "/");
    }

    /** Finds the route before it checks the token, so an unknown route is 404 for every client. */
    @Override
    public void serve(WebRequest request, Authenticator authenticator) throws IOException, InterruptedException {
        var parts = List.of(request.rawPath().substring(PREFIX.length() + 1).split("/", -1));
        var matches =
                routes.stream().filter(route -> route.values(parts).isPresent()).toList();
        if (matches.isEmpty()) throw HttpError.notFound();
        var allowed = new TreeSet<String>();
        for (var route : matches) {
            allowed.add(route.method());
            if (route.method().equals("GET")) allowed.add("HEAD");
        }
        request.only(allowed.toArray(String[]::new));
        var method = request.isHead() ? "GET" : request.method();
        var route = matches.stream()
                .filter(one -> one.method().equals(method))
                .findFirst()
                .orElseThrow();
        var principal = authenticator.authenticate(request);
        var values = route.values(parts).orElseThrow();
        route.handler().serve(RestRequest.of(request, principal, route, values));
    }

    /** Starts a run: for a token within its scope, for the operator without restriction. */
    private void start(RestRequest call) throws IOException {
        var requestFields = call.params();
        requestFields.required("prompt");
        // checked first, so that the limits are those of the owner that the run is for
        var owner = runs.owner(requestFields, call.caller())
                .orElseGet(() -> call.principal().owner(call.request()));
        var limits = RequestLimits.of(service, call.principal(), owner, call.request());
        var run = runs.start(requestFields, call.byOperator() ? limits.unconfined() : limits);
        var placed = service.awaitPlacement(run); // a client that reads "queued" would expect a wait
        call.request().put("Location", PREFIX + "/runs/" + run.id());
        call.answer(201, new ApiReply(new RunJson(service).run(placed)));
    }

    /** Sends as a program: a token, and even the operator's, does not prove that a person sends it. */
    private ApiReply send(RestRequest call) {
        var limits = RequestLimits.of(service, call.principal(), call.caller().owner(), call.request());
        return runs.reply(runs.send(call.params(), call.caller(), limits.caller(), limits.callKey()));
    }

    /** Lists the agents that can be started: in a directory, or by a token. */
    private ApiReply agents(RestRequest call) {
        var limits = RequestLimits.of(service, call.principal(), call.caller().owner(), call.request());
        var fields = RunJson.MAPPER.createObjectNode();
        fields.put("cwd", (call.byOperator() ? directory(call) : limits.directory()).toString());
        if (!call.byOperator() && call.fields().has("cwd"))
            throw ErrorCode.OPERATOR_ONLY.error("A token has its own directory.", "Omit cwd.");
        Optional.ofNullable(limits.environment().get("PATH")).ifPresent(path -> fields.put("path", path));
        var reply = new AgentOperations(service).agents().answer(fields, call.caller());
        if (!call.byOperator() && reply.json().path("agents") instanceof ArrayNode list)
            list.removeIf(agent -> !agents.may(agent.path("agent").asString(), limits));
        return reply;
    }

    private static Path directory(RestRequest call) {
        if (!call.fields().has("cwd")) return RequestLimits.home();
        var cwd = call.params().path("cwd");
        if (cwd.isAbsolute() && Files.isDirectory(cwd)) return cwd;
        throw ErrorCode.NO_SUCH_DIRECTORY.error("The field cwd names no directory here.");
    }

    /** Serves the OpenAPI description of the API, from which client code can be generated. */
    private static void describe(RestRequest call) throws IOException {
        try (var in = Objects.requireNonNull(RestApi.class.getResourceAsStream(DESCRIPTION))) {
            call.request().answer(200, "application/json", in.readAllBytes());
        }
    }
}
