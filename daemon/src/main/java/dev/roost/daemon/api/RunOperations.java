package dev.roost.daemon.api;

import dev.roost.base.BadInput;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Caller;
import dev.roost.model.Status;
import dev.roost.output.OutputPage;
import dev.roost.service.RoostService;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Operations on runs: list, show, output, stop and send. */
public final class RunOperations {

    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    private final RoostService service;
    private final RunJson json;

    public RunOperations(RoostService service) {
        this.service = service;
        this.json = new RunJson(service);
    }

    public Operation list() {
        return new ListRunsOperation(service, json).call();
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
                FieldSpec.text("run_id"));
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
        return Operation.of(
                this::output,
                FieldSpec.text("run_id"),
                FieldSpec.text("session_id"),
                FieldSpec.flag("block"),
                FieldSpec.flag("follow"),
                FieldSpec.timeout("timeout_ms"),
                FieldSpec.number("cursor"),
                FieldSpec.number("attempt"));
    }

    private ApiReply output(RequestFields requestFields, Caller caller) {
        var run = findRun(service, requestFields, caller);
        var timeout = requestFields.timeout("timeout_ms", DEFAULT_TIMEOUT);
        var until = requestFields.flag("follow")
                ? OutputPage.WaitMode.NEWS
                : requestFields.flag("block") ? OutputPage.WaitMode.END : OutputPage.WaitMode.NOW;
        var output = service.output(run, request(requestFields, until, timeout));
        return new ApiReply(json.output(output), () -> markRead(output, caller));
    }

    /** The part of the output that the request asks for. */
    public static OutputPage.Request request(RequestFields requestFields, OutputPage.WaitMode until, Duration timeout) {
        return new OutputPage.Request(
                requestFields.number("attempt").map(n -> Math.clamp(n, 0, Integer.MAX_VALUE)),
                requestFields.number("cursor").orElse(0L),
                until,
                timeout);
    }

    /** Marks the run read; call it once the output was written to the caller. */
    public void markRead(OutputPage output, Caller caller) {
        if (output.attempt().status().ended())
            service.markRead(output.run(), output.attempt().n(), caller);
    }

    /** Exactly one of run_id and session_id. */
    public static RunRecord findRun(RoostService service, RequestFields requestFields, Caller caller) {
        var run = requestFields.text("run_id");
        var session = requestFields.text("session_id");
        if (run.isPresent() == session.isPresent()) {
            throw new BadInput(
                    "one_id",
                    run.isPresent()
                            ? "Both run_id and session_id were given."
                            : "Neither run_id nor session_id was given.",
                    "Pass exactly one of them.");
        }
        return service.find(run.orElseGet(session::get), caller);
    }

    public Operation stop() {
        return Operation.of(this::stop, FieldSpec.text("run_id"), FieldSpec.text("reason"));
    }

    private ApiReply stop(RequestFields requestFields, Caller caller) {
        var found = service.find(requestFields.required("run_id"), caller);
        var run = service.stop(found, caller, requestFields.text("reason"));
        boolean causedIt = !found.status().ended() && run.status() == Status.CANCELED_BY_USER;
        return new ApiReply(json.run(run), () -> {
            if (causedIt) service.markRead(run, run.latest().n(), caller);
        });
    }

    /** {@code speaker}: the sender, an operator only if a person sends. A repeated {@code callKey} sends the message once. */
    public Operation send(Caller speaker, Optional<String> callKey) {
        return Operation.of(
                (requestFields, caller) -> {
                    var run = service.find(requestFields.required("run_id"), caller);
                    return new ApiReply(
                            json.run(service.send(run, requestFields.required("message"), speaker, callKey)));
                },
                FieldSpec.text("run_id"),
                FieldSpec.text("message"));
    }
}
