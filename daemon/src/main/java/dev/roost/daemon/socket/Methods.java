package dev.roost.daemon.socket;

import dev.roost.Caller;
import dev.roost.Output;
import dev.roost.Roost;
import dev.roost.StartRequest;
import dev.roost.agents.Task;
import dev.roost.daemon.wire.Json;
import dev.roost.daemon.wire.Params;
import dev.roost.ledger.Query;
import dev.roost.ledger.Run;
import dev.roost.run.BadInput;
import dev.roost.run.Notify;
import dev.roost.run.Owner;
import dev.roost.run.Refused;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import dev.roost.run.Words;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What can be asked over the socket. docs/protocol.md is its description for others. */
final class Methods {

    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);
    private static final Pattern NOTICE = Pattern.compile("n_(\\d{1,15})");
    private static final Pattern UMASK = Pattern.compile("[0-7]{3,4}");

    private final Roost roost;
    private final Json json;
    private final DaemonFacts daemon;
    private final UpkeepMethods upkeep;
    private final ProjectMethods projects;
    private final AgentMethods agents;
    private final TokenMethods tokens;
    private final AdoptMethod adoption;
    private final WorkMethods work;
    private final RescueMethods rescue;

    Methods(Roost roost, DaemonFacts daemon) {
        this.roost = roost;
        this.json = new Json(roost);
        this.daemon = daemon;
        this.upkeep = new UpkeepMethods(roost, json);
        this.projects = new ProjectMethods(roost, daemon.projects());
        this.agents = new AgentMethods(roost);
        this.tokens = new TokenMethods(roost, daemon.mint());
        this.adoption = new AdoptMethod(roost, json);
        this.work = new WorkMethods(roost, json);
        this.rescue = new RescueMethods(roost, json);
    }

    /** An answer, and what to do once it has been written out to the caller. */
    record Reply(JsonNode json, Runnable afterwards) {
        Reply(JsonNode json) {
            this(json, () -> {});
        }
    }

    Reply call(String method, @Nullable JsonNode params) {
        return switch (method) {
            case "start" -> start(params);
            case "list" -> list(params);
            case "changes" -> work.changes(params);
            case "show" -> show(params);
            case "output" -> output(params);
            case "stop" -> stop(params);
            case "send" -> send(params);
            case "inbox" -> inbox(params);
            case "acknowledge" -> acknowledge(params);
            case "adopt" -> adoption.adopt(params);
            case "report" -> work.report(params);
            case "restore" -> work.restore(params);
            case "pause" -> work.pause(params);
            case "resume" -> work.resume(params);
            case "rescue" -> rescue.rescue(params);
            case "prune" -> upkeep.prune(params);
            case "doctor" -> upkeep.doctor(params);
            case "backup" -> upkeep.backUp(params);
            case "agents" -> agents.agents(params);
            case "project" -> projects.project(params);
            case "trust" -> projects.trust(params);
            case "revoke" -> projects.revoke(params);
            case "trusted" -> projects.trusted(params);
            case "token_create" -> tokens.create(params);
            case "tokens" -> tokens.list(params);
            case "token_revoke" -> tokens.revoke(params);
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
    static Caller caller(Params params) {
        return new Caller(new Owner(params.required("caller")), params.flag("operator"));
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
                "inside",
                "pid");
        var caller = caller(params);
        var owner = params.text("owner").map(Owner::new);
        if (!caller.mayActFor(owner)) {
            throw new Refused(
                    "not_your_owner",
                    "Only the operator starts runs for somebody else.",
                    "Leave owner away, or do it from a plain shell.");
        }
        var cwd = path(params.required("cwd"));
        var request = new StartRequest(
                owner.orElse(caller.owner()),
                params.text("agent").orElseGet(() -> roost.defaultAgent(cwd)),
                new Task(params.texts("argv"), params.text("prompt")),
                params.text("name"),
                params.text("description").map(Words::printable),
                cwd,
                params.map("env"),
                umask(params.text("umask").orElse("022")),
                params.budget(),
                params.resumesOnLoss(),
                new StartRequest.Origin(params.text("inside"), params.number("pid")),
                new StartRequest.Terms(Notify.DONE, Optional.empty(), List.of(), params.flag("worktree")));
        var answer = json.run(roost.start(request));
        var notes = roost.project(cwd).notes(params.text("agent"));
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

    private Reply list(@Nullable JsonNode given) {
        var params = Params.of(given, "caller", "operator", "owner", "filter", "limit", "cursor");
        var which = switch (params.text("filter").orElse("all_active")) {
            case "all_active" -> Query.Which.ACTIVE;
            case "unread" -> Query.Which.UNREAD;
            case "all" -> Query.Which.ALL;
            default -> throw new BadInput("bad_field", "Unknown filter.", "Pass all_active, unread or all.");
        };
        int limit = Math.clamp(params.number("limit").orElse(200L), 1, 1000);
        var before = params.text("cursor").map(Methods::cursor);
        var runs =
                roost.list(new Query(which, params.text("owner").map(Owner::new), limit + 1, before), caller(params));
        boolean more = runs.size() > limit;
        var page = more ? runs.subList(0, limit) : runs;
        return new Reply(json.runs(page, more ? Optional.of(page.getLast().id().text()) : Optional.empty()));
    }

    private static RunId cursor(String text) {
        return RunId.parse(text)
                .orElseThrow(() -> new BadInput(
                        "bad_field", "The cursor is not one that list returned.", "Pass next_cursor as it was."));
    }

    private Reply show(@Nullable JsonNode given) {
        var params = Params.of(given, "caller", "operator", "run_id");
        var run = roost.lookAgain(roost.find(params.required("run_id"), caller(params)));
        var answer = json.show(run);
        roost.plainGit(run).ifPresent(words -> words.forEach(answer.putArray("git")::add));
        return new Reply(answer);
    }

    private Reply output(@Nullable JsonNode given) {
        var params = Params.of(
                given,
                "caller",
                "operator",
                "run_id",
                "session_id",
                "block",
                "follow",
                "timeout_ms",
                "cursor",
                "attempt");
        var caller = caller(params);
        var run = theOne(params, caller);
        var timeout = params.timeout("timeout_ms", DEFAULT_TIMEOUT);
        var until =
                params.flag("follow") ? Output.Until.NEWS : params.flag("block") ? Output.Until.END : Output.Until.NOW;
        var output = roost.output(
                run,
                new Output.Request(
                        params.number("attempt").map(n -> Math.clamp(n, 0, Integer.MAX_VALUE)),
                        params.number("cursor").orElse(0L),
                        until,
                        timeout));
        return new Reply(json.output(output), () -> {
            if (output.attempt().status().ended())
                roost.wasRead(output.run(), output.attempt().n(), caller);
        });
    }

    /** Exactly one of run_id and session_id. */
    private Run theOne(Params params, Caller caller) {
        var run = params.text("run_id");
        var session = params.text("session_id");
        if (run.isPresent() == session.isPresent()) {
            throw new BadInput(
                    "one_id",
                    run.isPresent()
                            ? "Both run_id and session_id were given."
                            : "Neither run_id nor session_id was given.",
                    "Pass exactly one of them.");
        }
        return roost.find(run.orElseGet(session::get), caller);
    }

    private Reply stop(@Nullable JsonNode given) {
        var params = Params.of(given, "caller", "operator", "run_id");
        var caller = caller(params);
        var found = roost.find(params.required("run_id"), caller);
        var run = roost.stop(found, caller);
        boolean causedIt = !found.status().ended() && run.status() == Status.CANCELED_BY_USER;
        return new Reply(json.run(run), () -> {
            if (causedIt) roost.wasRead(run, run.latest().n(), caller);
        });
    }

    private Reply send(@Nullable JsonNode given) {
        var params = Params.of(given, "caller", "operator", "run_id", "message", "harness", "inside", "pid");
        var caller = caller(params);
        var run = roost.find(params.required("run_id"), caller);
        var origin = new StartRequest.Origin(params.text("inside"), params.number("pid"));
        // what speaks from inside a run or a harness is no person, whoever's shell it borrows
        boolean person = caller.operator()
                && !params.flag("harness")
                && roost.inside(origin).isEmpty();
        return new Reply(json.run(roost.send(run, params.required("message"), new Caller(caller.owner(), person))));
    }

    private Reply inbox(@Nullable JsonNode given) {
        var params = Params.of(given, "caller", "operator", "owner");
        return new Reply(json.notices(roost.inbox(params.text("owner").map(Owner::new), caller(params))));
    }

    private Reply acknowledge(@Nullable JsonNode given) {
        var params = Params.of(given, "caller", "operator", "notice_ids");
        var ids = new ArrayList<Long>();
        for (var text : params.texts("notice_ids")) {
            var id = NOTICE.matcher(text);
            if (!id.matches()) {
                throw new BadInput(
                        "bad_notice",
                        "\"%s\" is not the id of a notice.".formatted(Words.printable(text)),
                        "`roost inbox` lists them; they look like n_12.");
            }
            ids.add(Long.parseLong(id.group(1)));
        }
        List<Long> acknowledged = roost.acknowledge(ids, caller(params));
        var answer = Json.MAPPER.createObjectNode();
        var list = answer.putArray("acknowledged");
        acknowledged.forEach(id -> list.add("n_" + id));
        return new Reply(answer);
    }

    private Reply status(@Nullable JsonNode given) {
        Params.of(given, "caller", "operator");
        var answer = Json.MAPPER.createObjectNode();
        answer.put("pid", ProcessHandle.current().pid());
        answer.put("home", daemon.home().toString());
        answer.put("version", daemon.version());
        answer.put("live", roost.live());
        daemon.http().ifPresent(address -> answer.put("http", address));
        return new Reply(answer);
    }

    private Reply shutdown(@Nullable JsonNode given) {
        Params.of(given, "caller", "operator");
        var answer = Json.MAPPER.createObjectNode();
        answer.put("pid", ProcessHandle.current().pid());
        answer.put("live", roost.live());
        return new Reply(answer, daemon.shutdown());
    }
}
