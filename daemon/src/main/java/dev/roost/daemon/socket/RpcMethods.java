package dev.roost.daemon.socket;

import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import dev.roost.daemon.api.AgentOperations;
import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.CallerLimits;
import dev.roost.daemon.api.FieldSpec;
import dev.roost.daemon.api.NodeOperations;
import dev.roost.daemon.api.NoticeOperations;
import dev.roost.daemon.api.Operation;
import dev.roost.daemon.api.ReportOperations;
import dev.roost.daemon.api.RequestFields;
import dev.roost.daemon.api.RunJson;
import dev.roost.daemon.api.RunOperations;
import dev.roost.model.Caller;
import dev.roost.service.RoostService;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The methods of the socket. docs/protocol.md describes them. */
final class RpcMethods {

    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);
    private static final List<FieldSpec> START =
            FieldSpec.without(RunOperations.START, "agent_if_known", "isolation", "notify", "run_in_background");

    private final RoostService service;
    private final RunJson json;
    private final DaemonInfo daemon;
    private final RunOperations runs;
    private final NoticeOperations notices;
    private final NodeOperations nodes;
    private final OperatorMethods forOperator;
    private final PersonMethods forPerson;

    RpcMethods(RoostService service, RunOperations runs, DaemonInfo daemon) {
        this.service = service;
        this.json = new RunJson(service);
        this.daemon = daemon;
        this.runs = runs;
        this.notices = new NoticeOperations(service);
        this.nodes = new NodeOperations(service);
        this.forOperator = new OperatorMethods(service, json);
        this.forPerson = new PersonMethods(service, daemon);
    }

    ApiReply call(String method, @Nullable JsonNode params) {
        return switch (method) {
            case "start" -> start(params);
            case "list" -> shared(runs.list(), params);
            case "changes" -> changes(params);
            case "show" -> shared(runs.show(), params);
            case "output" -> shared(runs.output(), params);
            case "stop" -> shared(runs.stop(), params);
            case "send" -> send(params);
            case "inbox" -> shared(notices.inbox(), params);
            case "acknowledge" -> shared(notices.acknowledge(), params);
            case "adopt" -> forPerson.adopt(params);
            case "report" -> shared(new ReportOperations(service).report(), params);
            case "restore" -> restore(params);
            case "pause" -> forOperator.pause(params);
            case "resume" -> forOperator.resume(params);
            case "rescue" -> new RescueMethods(service, json).rescue(params);
            case "prune" -> forOperator.prune(params);
            case "doctor" -> forOperator.doctor(params);
            case "backup" -> forOperator.backUp(params);
            case "nodes" -> shared(nodes.list(), params);
            case "node_drain" -> shared(nodes.drain(), params);
            case "node_resume" -> shared(nodes.resume(), params);
            case "node_forget" -> shared(nodes.forget(), params);
            case "agents" -> shared(new AgentOperations(service).agents(), params);
            case "project" -> forPerson.project(params);
            case "trust" -> forPerson.trust(params);
            case "revoke" -> forPerson.revoke(params);
            case "trusted" -> forPerson.trusted(params);
            case "token_create" -> forPerson.createToken(params);
            case "tokens" -> forPerson.listTokens(params);
            case "token_revoke" -> forPerson.revokeToken(params);
            case "web" -> forPerson.web(params);
            case "status" -> status(params);
            case "shutdown" -> shutdown(params);
            default ->
                throw ErrorCode.UNKNOWN_METHOD.error(
                        "There is no method \"%s\".".formatted(TextFormat.printable(method)));
        };
    }

    private static RequestFields fields(@Nullable JsonNode params, List<FieldSpec> known, String... more) {
        var names = Stream.of(
                Stream.of("caller", "operator"),
                Arrays.stream(more),
                known.stream().map(FieldSpec::name));
        return RequestFields.of(params, names.flatMap(part -> part).toArray(String[]::new));
    }

    /** The caller that the request names. With {@code operator} it sees all runs; only the home's user can use the socket. */
    private Caller caller(RequestFields requestFields) {
        return new Caller(service.owner(requestFields.required("caller")), requestFields.flag("operator"));
    }

    /** Runs an operation that other surfaces share, as the caller that the request names. */
    private ApiReply shared(Operation operation, @Nullable JsonNode params) {
        var requestFields = fields(params, operation.fields());
        return operation.handler().answer(requestFields, caller(requestFields));
    }

    private ApiReply start(@Nullable JsonNode params) {
        var requestFields = fields(params, START, "inside", "pid");
        var limits = new CallerLimits(
                caller(requestFields),
                false,
                Path.of(""),
                "",
                Map.of(),
                PersonMethods.origin(requestFields),
                Optional.empty(),
                CallerLimits.TokenTerms.NONE);
        requestFields.required("cwd");
        var answer = json.run(runs.start(requestFields, limits));
        var notes = service.agents(requestFields.path("cwd")).project().notes(requestFields.text("agent"));
        if (!notes.isEmpty()) notes.forEach(answer.putArray("notes")::add);
        return new ApiReply(answer);
    }

    /** A process inside a run or a harness is no person, even if it uses a person's shell. */
    private ApiReply send(@Nullable JsonNode params) {
        var requestFields = fields(params, RunOperations.SEND, "harness", "inside", "pid");
        var caller = caller(requestFields);
        var speaker = new Caller(caller.owner(), PersonMethods.isPerson(service, requestFields));
        return runs.reply(runs.send(requestFields, caller, speaker, Optional.empty()));
    }

    /** Waits for changes of runs, for clients that display them live. */
    private ApiReply changes(@Nullable JsonNode params) {
        var requestFields = fields(params, List.of(), "after", "timeout_ms");
        var changes = service.changes()
                .since(
                        requestFields.text("after"),
                        requestFields.timeout("timeout_ms", DEFAULT_TIMEOUT),
                        caller(requestFields));
        var answer = RunJson.MAPPER.createObjectNode().put("position", changes.position());
        if (changes.again()) return new ApiReply(answer.put("again", true));
        var list = answer.putArray("runs");
        changes.runs().forEach(run -> list.add(json.run(run)));
        if (!changes.removed().isEmpty()) changes.removed().forEach(answer.putArray("removed")::add);
        return new ApiReply(answer);
    }

    /** Puts the work of a run into a directory. */
    private ApiReply restore(@Nullable JsonNode params) {
        var requestFields = fields(params, List.of(), "run_id", "to", "checkpoint");
        var caller = caller(requestFields);
        var run = service.find(requestFields.required("run_id"), caller);
        var to = requestFields.text("to").map(_ -> requestFields.path("to"));
        var place = service.runWorktrees()
                .restore(run, to, requestFields.atLeastOne("checkpoint").map(Math::toIntExact));
        var restored = service.find(run.id().text(), caller);
        return new ApiReply(json.run(restored).put("restored_to", place.toString()));
    }

    private ApiReply status(@Nullable JsonNode params) {
        fields(params, List.of());
        var answer = RunJson.MAPPER.createObjectNode();
        answer.put("pid", ProcessHandle.current().pid());
        answer.put("home", daemon.home().toString());
        answer.put("version", daemon.version());
        answer.put("live", service.liveCount());
        daemon.http().ifPresent(address -> answer.put("http", address));
        return new ApiReply(answer);
    }

    private ApiReply shutdown(@Nullable JsonNode params) {
        fields(params, List.of());
        var answer = RunJson.MAPPER.createObjectNode();
        answer.put("pid", ProcessHandle.current().pid());
        answer.put("live", service.liveCount());
        return new ApiReply(answer, daemon.shutdown());
    }
}
