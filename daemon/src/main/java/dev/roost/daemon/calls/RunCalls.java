package dev.roost.daemon.calls;

import dev.roost.daemon.wire.Json;
import dev.roost.daemon.wire.Params;
import dev.roost.house.Caller;
import dev.roost.house.House;
import dev.roost.house.Output;
import dev.roost.ledger.Run;
import dev.roost.run.BadInput;
import dev.roost.run.Status;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Runs: looking at one, reading what it says, stopping it, saying something to it. */
public final class RunCalls {

    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    private final House house;
    private final Json json;

    public RunCalls(House house) {
        this.house = house;
        this.json = new Json(house);
    }

    public Call list() {
        return new ListCall(house, json).call();
    }

    public Call show() {
        return Call.of(
                (params, caller) -> {
                    var run = house.code().lookAgain(house.find(params.required("run_id"), caller));
                    var answer = ofOneMoment(run, caller);
                    house.code().plainGit(run).ifPresent(words -> words.forEach(answer.putArray("git")::add));
                    return new Reply(answer);
                },
                Field.text("run_id"));
    }

    /** A run, its timeline and its notices are read one after the other; if it ended or went on meanwhile, once more. */
    private ObjectNode ofOneMoment(Run run, Caller caller) {
        var before = run;
        while (true) {
            var answer = json.show(before);
            var after = house.find(run.id().text(), caller);
            if (after.latest().n() == before.latest().n() && after.status() == before.status()) return answer;
            before = after;
        }
    }

    public Call output() {
        return Call.of(
                this::output,
                Field.text("run_id"),
                Field.text("session_id"),
                Field.flag("block"),
                Field.flag("follow"),
                Field.timeout("timeout_ms"),
                Field.number("cursor"),
                Field.number("attempt"));
    }

    private Reply output(Params params, Caller caller) {
        var run = theOne(house, params, caller);
        var timeout = params.timeout("timeout_ms", DEFAULT_TIMEOUT);
        var until =
                params.flag("follow") ? Output.Until.NEWS : params.flag("block") ? Output.Until.END : Output.Until.NOW;
        var output = house.output(run, request(params, until, timeout));
        return new Reply(json.output(output), () -> wasRead(output, caller));
    }

    /** Which part of what a run says is asked for. */
    public static Output.Request request(Params params, Output.Until until, Duration timeout) {
        return new Output.Request(
                params.number("attempt").map(n -> Math.clamp(n, 0, Integer.MAX_VALUE)),
                params.number("cursor").orElse(0L),
                until,
                timeout);
    }

    /** To be done once it was written out. */
    public void wasRead(Output output, Caller caller) {
        if (output.attempt().status().ended())
            house.wasRead(output.run(), output.attempt().n(), caller);
    }

    /** Exactly one of run_id and session_id. */
    public static Run theOne(House house, Params params, Caller caller) {
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
        return house.find(run.orElseGet(session::get), caller);
    }

    public Call stop() {
        return Call.of(this::stop, Field.text("run_id"), Field.text("reason"));
    }

    private Reply stop(Params params, Caller caller) {
        var found = house.find(params.required("run_id"), caller);
        var run = house.stop(found, caller, params.text("reason"));
        boolean causedIt = !found.status().ended() && run.status() == Status.CANCELED_BY_USER;
        return new Reply(json.run(run), () -> {
            if (causedIt) house.wasRead(run, run.latest().n(), caller);
        });
    }

    /** {@code speaker}: as whom it is said, which only for a person is the operator; a call with the same key says nothing twice. */
    public Call send(Caller speaker, Optional<String> callKey) {
        return Call.of(
                (params, caller) -> {
                    var run = house.find(params.required("run_id"), caller);
                    return new Reply(json.run(house.send(run, params.required("message"), speaker, callKey)));
                },
                Field.text("run_id"),
                Field.text("message"));
    }
}
