package dev.roost.daemon.socket;

import dev.roost.agents.Task;
import dev.roost.daemon.calls.AgentCalls;
import dev.roost.daemon.calls.Call;
import dev.roost.daemon.calls.NodeCalls;
import dev.roost.daemon.calls.NoticeCalls;
import dev.roost.daemon.calls.OverviewCalls;
import dev.roost.daemon.calls.Reply;
import dev.roost.daemon.calls.RunCalls;
import dev.roost.daemon.wire.Json;
import dev.roost.daemon.wire.Params;
import dev.roost.house.Caller;
import dev.roost.house.House;
import dev.roost.house.StartRequest;
import dev.roost.run.BadInput;
import dev.roost.run.Notify;
import dev.roost.run.Refused;
import dev.roost.run.Words;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What can be asked over the socket. docs/protocol.md is its description for others. */
final class Methods {

    private static final Pattern UMASK = Pattern.compile("[0-7]{3,4}");

    private final House house;
    private final Json json;
    private final DaemonFacts daemon;
    private final UpkeepMethods upkeep;
    private final ProjectMethods projects;
    private final AgentCalls agents;
    private final RunCalls runs;
    private final NoticeCalls notices;
    private final OverviewCalls overview;
    private final NodeCalls nodes;
    private final TokenMethods tokens;
    private final AdoptMethod adoption;
    private final WorkMethods work;
    private final RescueMethods rescue;
    private final WebMethod web;

    Methods(House house, DaemonFacts daemon) {
        this.house = house;
        this.json = new Json(house);
        this.daemon = daemon;
        this.upkeep = new UpkeepMethods(house, json);
        this.projects = new ProjectMethods(house, daemon.projects());
        this.agents = new AgentCalls(house);
        this.runs = new RunCalls(house);
        this.notices = new NoticeCalls(house);
        this.overview = new OverviewCalls(house);
        this.nodes = new NodeCalls(house);
        this.tokens = new TokenMethods(house, daemon.mint());
        this.adoption = new AdoptMethod(house, json);
        this.work = new WorkMethods(house, json);
        this.rescue = new RescueMethods(house, json);
        this.web = new WebMethod(house, daemon);
    }

    Reply call(String method, @Nullable JsonNode params) {
        return switch (method) {
            case "start" -> start(params);
            case "list" -> shared(runs.list(), params);
            case "changes" -> work.changes(params);
            case "show" -> shared(runs.show(), params);
            case "output" -> shared(runs.output(), params);
            case "stop" -> shared(runs.stop(), params);
            case "send" -> send(params);
            case "inbox" -> shared(notices.inbox(), params);
            case "acknowledge" -> shared(notices.acknowledge(), params);
            case "adopt" -> adoption.adopt(params);
            case "report" -> shared(overview.report(), params);
            case "restore" -> work.restore(params);
            case "pause" -> work.pause(params);
            case "resume" -> work.resume(params);
            case "rescue" -> rescue.rescue(params);
            case "prune" -> upkeep.prune(params);
            case "doctor" -> upkeep.doctor(params);
            case "backup" -> upkeep.backUp(params);
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
            case "token_rotate_key" -> tokens.rotateKey(params);
            case "web" -> web.web(params);
            case "status" -> status(params);
            case "shutdown" -> shutdown(params);
            default ->
                throw new BadInput(
                        "unknown_method",
                        "There is no method \"%s\".".formatted(Words.printable(method)),
                        "docs/protocol.md lists the methods.");
        };
    }

    /** An owner acts as itself; whoever says {@code operator} sees everything. The socket is its user's alone. */
    static Caller caller(House house, Params params) {
        return new Caller(house.owner(params.required("caller")), params.flag("operator"));
    }

    private Reply start(@Nullable JsonNode given) {
        var params = Params.of(
                given,
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
        var caller = caller(house, params);
        var owner = params.text("owner").map(house::owner);
        if (!caller.mayActFor(owner)) {
            throw new Refused(
                    "not_your_owner",
                    "Only the operator starts runs for somebody else.",
                    "Omit owner, or do it from a plain shell.");
        }
        var cwd = path(params.required("cwd"));
        var request = new StartRequest(
                owner.orElse(caller.owner()),
                params.text("agent").orElseGet(() -> house.agents(cwd).usual()),
                new Task(params.texts("argv"), params.text("prompt")),
                params.text("name"),
                params.text("description").map(Words::printable),
                cwd,
                params.map("env"),
                umask(params.text("umask").orElse("022")),
                params.budget(),
                params.resumesOnLoss(),
                new StartRequest.Origin(params.text("inside"), params.number("pid")),
                new StartRequest.Terms(
                        Notify.DONE, Optional.empty(), List.of(), params.flag("worktree"), params.texts("on")));
        var answer = json.run(house.start(request));
        var notes = house.agents(cwd).project().notes(params.text("agent"));
        if (!notes.isEmpty()) notes.forEach(answer.putArray("notes")::add);
        return new Reply(answer);
    }

    private static Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new BadInput(
                    "no_such_directory",
                    "The path \"%s\" is impossible.".formatted(Words.printable(text)),
                    "Correct it.");
        }
    }

    private static String umask(String text) {
        if (UMASK.matcher(text).matches()) return text;
        throw new BadInput("bad_field", "The field umask is not octal.", "Pass one like 022.");
    }

    /** What is asked the same way elsewhere, by whom it says it is. */
    private Reply shared(Call call, @Nullable JsonNode given) {
        return call.answer(without(given, "caller", "operator"), caller(house, who(given)));
    }

    private static Params who(@Nullable JsonNode given) {
        if (!(given instanceof ObjectNode all)) return Params.of(given);
        return Params.of(all.deepCopy().retain("caller", "operator"), "caller", "operator");
    }

    private static @Nullable JsonNode without(@Nullable JsonNode given, String... names) {
        return given instanceof ObjectNode all ? all.deepCopy().remove(List.of(names)) : given;
    }

    private Reply send(@Nullable JsonNode given) {
        var params =
                Params.of(given, "caller", "operator", "run_id", "message", "question", "harness", "inside", "pid");
        var caller = caller(house, params);
        var origin = new StartRequest.Origin(params.text("inside"), params.number("pid"));
        // what speaks from inside a run or a harness is no person, whoever's shell it borrows
        boolean person = caller.operator()
                && !params.flag("harness")
                && house.inside(origin).isEmpty();
        var speaker = new Caller(caller.owner(), person);
        var question = params.text("question");
        if (question.isPresent()) {
            var run = house.find(params.required("run_id"), caller);
            return new Reply(json.run(house.answer(run, question.get(), params.required("message"), speaker)));
        }
        return shared(runs.send(speaker, Optional.empty()), without(given, "harness", "inside", "pid"));
    }

    private Reply status(@Nullable JsonNode given) {
        Params.of(given, "caller", "operator");
        var answer = Json.MAPPER.createObjectNode();
        answer.put("pid", ProcessHandle.current().pid());
        answer.put("home", daemon.home().toString());
        answer.put("version", daemon.version());
        answer.put("live", house.live());
        daemon.http().ifPresent(address -> answer.put("http", address));
        return new Reply(answer);
    }

    private Reply shutdown(@Nullable JsonNode given) {
        Params.of(given, "caller", "operator");
        var answer = Json.MAPPER.createObjectNode();
        answer.put("pid", ProcessHandle.current().pid());
        answer.put("live", house.live());
        return new Reply(answer, daemon.shutdown());
    }
}
