package dev.roost.daemon.socket;

import dev.roost.agents.Task;
import dev.roost.base.BadInput;
import dev.roost.base.Refusal;
import dev.roost.base.TextFormat;
import dev.roost.daemon.api.AgentOperations;
import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.NodeOperations;
import dev.roost.daemon.api.NoticeOperations;
import dev.roost.daemon.api.Operation;
import dev.roost.daemon.api.ReportOperations;
import dev.roost.daemon.api.RequestFields;
import dev.roost.daemon.api.RunJson;
import dev.roost.daemon.api.RunOperations;
import dev.roost.engine.StartRequest;
import dev.roost.model.Caller;
import dev.roost.model.Notify;
import dev.roost.service.RoostService;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The methods of the socket. docs/protocol.md describes them. */
final class RpcMethods {

    private static final Pattern UMASK = Pattern.compile("[0-7]{3,4}");

    private final RoostService service;
    private final RunJson json;
    private final DaemonInfo daemon;
    private final MaintenanceMethods maintenance;
    private final ProjectMethods projects;
    private final AgentOperations agents;
    private final RunOperations runs;
    private final NoticeOperations notices;
    private final ReportOperations reports;
    private final NodeOperations nodes;
    private final TokenMethods tokens;
    private final AdoptMethod adopt;
    private final WorktreeMethods worktrees;
    private final RescueMethods rescue;
    private final WebMethod web;

    RpcMethods(RoostService service, DaemonInfo daemon) {
        this.service = service;
        this.json = new RunJson(service);
        this.daemon = daemon;
        this.maintenance = new MaintenanceMethods(service, json);
        this.projects = new ProjectMethods(service, daemon.projects());
        this.agents = new AgentOperations(service);
        this.runs = new RunOperations(service);
        this.notices = new NoticeOperations(service);
        this.reports = new ReportOperations(service);
        this.nodes = new NodeOperations(service);
        this.tokens = new TokenMethods(service, daemon.tokens());
        this.adopt = new AdoptMethod(service, json);
        this.worktrees = new WorktreeMethods(service, json);
        this.rescue = new RescueMethods(service, json);
        this.web = new WebMethod(service, daemon);
    }

    ApiReply call(String method, @Nullable JsonNode params) {
        return switch (method) {
            case "start" -> start(params);
            case "list" -> shared(runs.list(), params);
            case "changes" -> worktrees.changes(params);
            case "show" -> shared(runs.show(), params);
            case "output" -> shared(runs.output(), params);
            case "stop" -> shared(runs.stop(), params);
            case "send" -> send(params);
            case "inbox" -> shared(notices.inbox(), params);
            case "acknowledge" -> shared(notices.acknowledge(), params);
            case "adopt" -> adopt.adopt(params);
            case "report" -> shared(reports.report(), params);
            case "restore" -> worktrees.restore(params);
            case "pause" -> worktrees.pause(params);
            case "resume" -> worktrees.resume(params);
            case "rescue" -> rescue.rescue(params);
            case "prune" -> maintenance.prune(params);
            case "doctor" -> maintenance.doctor(params);
            case "backup" -> maintenance.backUp(params);
            case "nodes" -> shared(nodes.list(), params);
            case "node_drain" -> shared(nodes.drain(), params);
            case "node_resume" -> shared(nodes.resume(), params);
            case "node_forget" -> shared(nodes.forget(), params);
            case "agents" -> shared(agents.agents(), params);
            case "project" -> projects.project(params);
            case "trust" -> projects.trust(params);
            case "revoke" -> projects.revoke(params);
            case "trusted" -> projects.trusted(params);
            case "token_create" -> tokens.create(params);
            case "tokens" -> tokens.list(params);
            case "token_revoke" -> tokens.revoke(params);
            case "web" -> web.web(params);
            case "status" -> status(params);
            case "shutdown" -> shutdown(params);
            default ->
                throw new BadInput(
                        "unknown_method",
                        "There is no method \"%s\".".formatted(TextFormat.printable(method)),
                        "docs/protocol.md lists the methods.");
        };
    }

    /** The caller that the request names. With {@code operator} it sees all runs; only the home's user can use the socket. */
    static Caller caller(RoostService service, RequestFields requestFields) {
        return new Caller(service.owner(requestFields.required("caller")), requestFields.flag("operator"));
    }

    private ApiReply start(@Nullable JsonNode params) {
        var requestFields = RequestFields.of(
                params,
                "caller",
                "operator",
                "owner",
                "agent",
                "argv",
                "prompt",
                "name",
                "description",
                "cwd",
                "env",
                "umask",
                "max_time",
                "max_tokens",
                "max_cost_usd",
                "max_turns",
                "on_loss",
                "worktree",
                "on",
                "inside",
                "pid");
        var caller = caller(service, requestFields);
        var owner = requestFields.text("owner").map(service::owner);
        if (!caller.mayActFor(owner)) {
            throw new Refusal(
                    "not_your_owner",
                    "Only the operator may start runs for another owner.",
                    "Omit owner, or do it from a plain shell.");
        }
        var cwd = path(requestFields.required("cwd"));
        var request = new StartRequest(
                owner.orElse(caller.owner()),
                requestFields.text("agent").orElseGet(() -> service.agents(cwd).usual()),
                new Task(requestFields.texts("argv"), requestFields.text("prompt")),
                requestFields.text("name"),
                requestFields.text("description").map(TextFormat::printable),
                cwd,
                requestFields.map("env"),
                umask(requestFields.text("umask").orElse("022")),
                requestFields.budget(),
                requestFields.resumesOnLoss(),
                new StartRequest.Origin(requestFields.text("inside"), requestFields.number("pid")),
                new StartRequest.Terms(
                        Notify.DONE,
                        Optional.empty(),
                        List.of(),
                        requestFields.flag("worktree"),
                        requestFields.texts("on")));
        var answer = json.run(service.start(request));
        var notes = service.agents(cwd).project().notes(requestFields.text("agent"));
        if (!notes.isEmpty()) notes.forEach(answer.putArray("notes")::add);
        return new ApiReply(answer);
    }

    private static Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new BadInput(
                    "no_such_directory",
                    "The path \"%s\" is not valid.".formatted(TextFormat.printable(text)),
                    "Correct it.");
        }
    }

    private static String umask(String text) {
        if (UMASK.matcher(text).matches()) return text;
        throw new BadInput("bad_field", "The field umask is not octal.", "Pass one like 022.");
    }

    /** Runs an operation that other surfaces share, as the caller that the request names. */
    private ApiReply shared(Operation operation, @Nullable JsonNode params) {
        return operation.answer(without(params, "caller", "operator"), caller(service, identify(params)));
    }

    private static RequestFields identify(@Nullable JsonNode params) {
        if (!(params instanceof ObjectNode all)) return RequestFields.of(params);
        return RequestFields.of(all.deepCopy().retain("caller", "operator"), "caller", "operator");
    }

    private static @Nullable JsonNode without(@Nullable JsonNode params, String... names) {
        return params instanceof ObjectNode all ? all.deepCopy().remove(List.of(names)) : params;
    }

    private ApiReply send(@Nullable JsonNode params) {
        var requestFields = RequestFields.of(
                params, "caller", "operator", "run_id", "message", "question", "harness", "inside", "pid");
        var caller = caller(service, requestFields);
        var origin = new StartRequest.Origin(requestFields.text("inside"), requestFields.number("pid"));
        // a process inside a run or a harness is no person, even if it uses a person's shell
        boolean person = caller.operator()
                && !requestFields.flag("harness")
                && service.findCallingRun(origin).isEmpty();
        var speaker = new Caller(caller.owner(), person);
        var question = requestFields.text("question");
        if (question.isPresent()) {
            var run = service.find(requestFields.required("run_id"), caller);
            return new ApiReply(
                    json.run(service.answer(run, question.get(), requestFields.required("message"), speaker)));
        }
        return shared(runs.send(speaker, Optional.empty()), without(params, "harness", "inside", "pid"));
    }

    private ApiReply status(@Nullable JsonNode params) {
        RequestFields.of(params, "caller", "operator");
        var answer = RunJson.MAPPER.createObjectNode();
        answer.put("pid", ProcessHandle.current().pid());
        answer.put("home", daemon.home().toString());
        answer.put("version", daemon.version());
        answer.put("live", service.liveCount());
        daemon.http().ifPresent(address -> answer.put("http", address));
        return new ApiReply(answer);
    }

    private ApiReply shutdown(@Nullable JsonNode params) {
        RequestFields.of(params, "caller", "operator");
        var answer = RunJson.MAPPER.createObjectNode();
        answer.put("pid", ProcessHandle.current().pid());
        answer.put("live", service.liveCount());
        return new ApiReply(answer, daemon.shutdown());
    }
}
