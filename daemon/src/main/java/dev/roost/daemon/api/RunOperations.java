package dev.roost.daemon.api;

import static dev.roost.daemon.api.FieldSpec.Kind.AMOUNT;
import static dev.roost.daemon.api.FieldSpec.Kind.FLAG;
import static dev.roost.daemon.api.FieldSpec.Kind.NUMBER;
import static dev.roost.daemon.api.FieldSpec.Kind.TEXT;
import static dev.roost.daemon.api.FieldSpec.Kind.TEXTS;
import static dev.roost.daemon.api.FieldSpec.Kind.TEXTS_BY_NAME;
import static dev.roost.daemon.api.FieldSpec.Kind.TIMEOUT;

import dev.roost.agents.Task;
import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import dev.roost.engine.StartRequest;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Caller;
import dev.roost.model.Notify;
import dev.roost.model.Owner;
import dev.roost.model.Status;
import dev.roost.output.OutputPage;
import dev.roost.service.RoostService;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/**
 * What every surface can do with runs: start, list, show, output, stop and send. A surface adds the names of its fields, which it
 * takes from the lists here, and the limits of its callers.
 */
public final class RunOperations {

    public static final List<FieldSpec> START = List.of(
            TEXT.named("agent"),
            TEXT.named("agent_if_known"),
            TEXTS.named("argv"),
            TEXT.named("prompt"),
            TEXT.named("name"),
            TEXT.named("description"),
            TEXT.named("owner"),
            TEXT.named("cwd"),
            TEXTS_BY_NAME.named("env"),
            TEXT.named("umask"),
            FLAG.named("worktree"),
            TEXT.named("isolation"),
            TEXT.named("max_time"),
            NUMBER.named("max_tokens"),
            AMOUNT.named("max_cost_usd"),
            NUMBER.named("max_turns"),
            TEXT.named("on_loss"),
            TEXTS.named("on"),
            TEXT.named("notify"),
            FLAG.named("run_in_background"));
    public static final List<FieldSpec> LIST = RunListPage.FIELDS;
    public static final List<FieldSpec> OUTPUT = List.of(
            TEXT.named("run_id"),
            TEXT.named("session_id"),
            FLAG.named("block"),
            FLAG.named("follow"),
            TIMEOUT.named("timeout_ms"),
            NUMBER.named("cursor"),
            NUMBER.named("attempt"));
    public static final List<FieldSpec> STOP = List.of(TEXT.named("run_id"), TEXT.named("reason"));
    public static final List<FieldSpec> SEND =
            List.of(TEXT.named("run_id"), TEXT.named("message"), TEXT.named("question"));

    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);
    private static final Pattern UMASK = Pattern.compile("[0-7]{3,4}");

    private final RoostService service;
    private final RunJson json;
    private final AllowedAgents agents;

    public RunOperations(RoostService service, AllowedAgents agents) {
        this.service = service;
        this.json = new RunJson(service);
        this.agents = agents;
    }

    /** A run before and after an operation, and the action to run once the caller has been told. */
    public record RunChange(RunRecord before, RunRecord run, Runnable onDelivered) {}

    /** Starts a run for the caller, or for the owner that an operator names. */
    public RunRecord start(RequestFields requestFields, CallerLimits limits) {
        var owner = owner(requestFields, limits.caller());
        var cwd = limits.directory(requestFields.text("cwd"));
        var known = service.agents(cwd);
        var agent = limits.confined()
                ? agents.choose(requestFields, limits, cwd)
                : requestFields.text("agent").orElseGet(known::usual);
        var budget = requestFields.budget();
        return service.start(new StartRequest(
                owner.orElse(limits.caller().owner()),
                agent,
                new Task(requestFields.texts("argv"), requestFields.text("prompt")),
                requestFields.text("name"),
                requestFields.text("description").map(TextFormat::printable),
                cwd,
                environment(requestFields.map("env"), limits),
                umask(requestFields.text("umask").orElse("022")),
                limits.confined() ? budget.atMost(known.named(agent).budget()) : budget,
                requestFields.resumesOnLoss(),
                limits.origin(),
                new StartRequest.Terms(
                        requestFields.text("notify").map(Notify::of).orElse(Notify.DONE),
                        limits.callKey(),
                        limits.terms().launcher(),
                        requestFields.flag("worktree") || isolated(requestFields),
                        requestFields.texts("on"),
                        limits.terms().maxLive())));
    }

    /** The owner that the request names; refused if the caller may not act for it. */
    public Optional<Owner> owner(RequestFields requestFields, Caller caller) {
        var owner = requestFields.text("owner").map(service::owner);
        if (caller.mayActFor(owner)) return owner;
        throw ErrorCode.NOT_YOUR_OWNER.error(
                "Only the operator may act for another owner.",
                "Omit owner, do it from a plain shell, or use the token of that owner.");
    }

    private static Map<String, String> environment(Map<String, String> requested, CallerLimits limits) {
        if (limits.confined() && !requested.isEmpty()) {
            throw ErrorCode.OPERATOR_ONLY.error(
                    "The variables of a token's runs are fixed when the token is made.",
                    "Omit env, or ask the user for a token with them: `roost token create --env NAME=VALUE`.");
        }
        var all = new TreeMap<>(limits.environment());
        all.putAll(requested);
        return all;
    }

    private static String umask(String text) {
        if (UMASK.matcher(text).matches()) return text;
        throw ErrorCode.BAD_FIELD.error("The field umask is not octal.", "Pass one like 022.");
    }

    private static boolean isolated(RequestFields requestFields) {
        return switch (requestFields.text("isolation").orElse("none")) {
            case "none" -> false;
            case "worktree" -> true;
            default -> throw ErrorCode.BAD_FIELD.error("Unknown isolation.", "Pass none or worktree.");
        };
    }

    public RunListPage list(RequestFields requestFields, Caller caller) {
        return RunListPage.read(service, requestFields, caller);
    }

    public Operation list() {
        return new Operation(LIST, (requestFields, caller) -> new ApiReply(json.runs(list(requestFields, caller))));
    }

    public Operation show() {
        return Operation.of(
                (requestFields, caller) -> {
                    var run = service.runWorktrees()
                            .refreshLanding(service.find(requestFields.required("run_id"), caller));
                    var answer = consistentView(run, caller);
                    service.runWorktrees().plainGit(run).ifPresent(words -> words.forEach(answer.putArray("git")::add));
                    return new ApiReply(answer);
                },
                TEXT.named("run_id"));
    }

    /** Reads the run, its timeline and its notices one after the other; reads them again if its status changed meanwhile. */
    private ObjectNode consistentView(RunRecord run, Caller caller) {
        var before = run;
        while (true) {
            var answer = json.show(before);
            var after = service.find(run.id().text(), caller);
            if (after.latest().n() == before.latest().n() && after.status() == before.status()) return answer;
            before = after;
        }
    }

    public Operation output() {
        return new Operation(OUTPUT, (requestFields, caller) -> {
            var output = service.output(find(requestFields, caller), request(requestFields));
            return new ApiReply(json.output(output), () -> service.markRead(output, caller));
        });
    }

    /** The part of the output that the request asks for, and what it waits for. */
    public static OutputPage.Request request(RequestFields requestFields) {
        boolean follows = requestFields.flag("follow");
        boolean blocks = requestFields.flag("block");
        return new OutputPage.Request(
                requestFields.number("attempt").map(n -> Math.clamp(n, 0, Integer.MAX_VALUE)),
                requestFields.number("cursor").orElse(0L),
                follows ? OutputPage.WaitMode.NEWS : blocks ? OutputPage.WaitMode.END : OutputPage.WaitMode.NOW,
                requestFields.timeout("timeout_ms", DEFAULT_TIMEOUT));
    }

    /** Finds a run by exactly one of run_id and session_id. */
    public RunRecord find(RequestFields requestFields, Caller caller) {
        var run = requestFields.text("run_id");
        var session = requestFields.text("session_id");
        if (run.isPresent() == session.isPresent()) {
            throw ErrorCode.ONE_ID.error(
                    run.isPresent()
                            ? "Both run_id and session_id were given."
                            : "Neither run_id nor session_id was given.");
        }
        return service.find(run.orElseGet(session::get), caller);
    }

    /** Stops a run. It counts as read by the caller whose stop has ended it. */
    public RunChange stop(RequestFields requestFields, Caller caller) {
        var before = service.find(requestFields.required("run_id"), caller);
        var run = service.stop(before, caller, requestFields.text("reason"));
        boolean causedIt = !before.status().ended() && run.status() == Status.CANCELED_BY_USER;
        return new RunChange(before, run, () -> {
            if (causedIt) service.markRead(run, run.latest().n(), caller);
        });
    }

    public Operation stop() {
        return new Operation(STOP, (requestFields, caller) -> reply(stop(requestFields, caller)));
    }

    /** {@code speaker}: the sender, an operator only if a person sends. A repeated {@code callKey} sends the message once. */
    public RunChange send(RequestFields requestFields, Caller caller, Caller speaker, Optional<String> callKey) {
        var before = service.find(requestFields.required("run_id"), caller);
        var message = requestFields.required("message");
        var run = requestFields
                .text("question")
                .map(question -> service.answer(before, question, message, speaker))
                .orElseGet(() -> service.send(before, message, speaker, callKey));
        return new RunChange(before, run, () -> {});
    }

    public ApiReply reply(RunChange change) {
        return new ApiReply(json.run(change.run()), change.onDelivered());
    }
}
