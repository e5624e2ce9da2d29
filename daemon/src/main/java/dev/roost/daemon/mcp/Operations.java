package dev.roost.daemon.mcp;

import dev.roost.daemon.calls.RunCalls;
import dev.roost.daemon.wire.Params;
import dev.roost.house.Caller;
import dev.roost.house.House;
import dev.roost.house.Output;
import dev.roost.ledger.Query;
import dev.roost.ledger.Run;
import dev.roost.run.BadInput;
import dev.roost.run.Owner;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/** What the tools do: five operations, whatever a dialect calls them. */
public final class Operations {

    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration BETWEEN_WORDS = Duration.ofSeconds(5);
    private static final Duration FOR_EVER = Duration.ofDays(365);

    /** What each operation takes. */
    static final Map<String, List<String>> FIELDS = Map.of(
            "agent",
            List.of(
                    "prompt",
                    "description",
                    "agent",
                    "agent_if_known",
                    "name",
                    "run_in_background",
                    "isolation",
                    "cwd",
                    "max_time",
                    "max_tokens",
                    "max_cost_usd",
                    "max_turns",
                    "on_loss",
                    "on",
                    "notify"),
            "agent_list",
            List.of("filter", "limit", "cursor"),
            "agent_output",
            List.of("run_id", "session_id", "block", "timeout_ms", "cursor", "attempt"),
            "agent_stop",
            List.of("run_id", "reason"),
            "agent_send",
            List.of("run_id", "message"));

    private final House house;
    private final Starting starting;
    private final Telling telling;

    public Operations(House house, ToolAgents agents) {
        this.house = house;
        this.starting = new Starting(house, agents);
        this.telling = new Telling(house);
    }

    /**
     * An answer as fields and as text, and what to do once it was written out to the caller. Some harnesses show their model the
     * fields only, so these have a {@code message} too. {@code said}: the agent's own words, which no dialect changes.
     */
    record Answer(ObjectNode json, String text, String said, Runnable afterwards) {
        Answer(ObjectNode json, String text) {
            this(json, text, "");
        }

        Answer(ObjectNode json, String text, String said) {
            this(json, text, said, () -> {});
        }

        static Answer of(ObjectNode json, String message) {
            return new Answer(json.put("message", message), message);
        }

        Answer then(Runnable afterwards) {
            return new Answer(json, text, said, afterwards);
        }
    }

    /** One call: by whom, and where to say how it goes meanwhile. */
    record Call(
            Client client,
            Optional<String> session,
            String requestId,
            boolean hearsProgress,
            Consumer<String> progress) {
        Owner owner() {
            return client.owner(session);
        }

        Caller caller() {
            return new Caller(owner(), false);
        }
    }

    Answer run(Dialect.Call what, Call call) throws InterruptedException {
        return switch (what.operation()) {
            case "agent" -> agent(what.arguments(), call);
            case "agent_list" -> list(what.arguments(), call);
            case "agent_output" -> output(what.arguments(), call);
            case "agent_stop" -> stop(what.arguments(), call);
            case "agent_send" -> send(what.arguments(), call);
            default -> throw new IllegalStateException("no operation " + what.operation());
        };
    }

    private static Params params(String operation, ObjectNode given) {
        return Params.of(given, FIELDS.getOrDefault(operation, List.of()).toArray(String[]::new));
    }

    private Answer agent(ObjectNode given, Call call) throws InterruptedException {
        var params = params("agent", given);
        var client = call.client();
        var owner = call.owner();
        var run = starting.bound(params, client, owner, client.callKey(call.requestId()));
        if (params.flag("run_in_background")) {
            var begun = house.settled(run); // who is told that it is queued would think that it has to wait
            return Answer.of(telling.run(begun, client), telling.started(begun, client));
        }
        return told(await(run, 0, Optional.empty(), FOR_EVER, call), call);
    }

    /** Waits for the end as long as is asked for and the client will bear, saying meanwhile how it goes. */
    private Output await(Run run, long cursor, Optional<Integer> attempt, Duration timeout, Call call) {
        var patience = call.client().patience(call.hearsProgress());
        var most = timeout.compareTo(patience) < 0 ? timeout : patience;
        var waited = Duration.ZERO;
        while (true) {
            var left = most.minus(waited);
            var slice = left.compareTo(BETWEEN_WORDS) < 0 ? left : BETWEEN_WORDS;
            var output = house.output(run, new Output.Request(attempt, cursor, Output.Until.END, slice));
            waited = waited.plus(output.waited().orElse(Duration.ZERO));
            if (!output.timedOut() || waited.compareTo(most) >= 0) return output.afterWaiting(waited);
            call.progress().accept(telling.progress(output));
        }
    }

    private Answer told(Output output, Call call) {
        var caller = call.caller();
        return telling.output(output, call.client()).then(() -> {
            if (output.attempt().status().ended())
                house.wasRead(output.run(), output.attempt().n(), caller);
        });
    }

    private Answer list(ObjectNode given, Call call) {
        var params = params("agent_list", given);
        var which = switch (params.text("filter").orElse("all_active")) {
            case "all_active" -> Query.Which.ACTIVE;
            case "unread" -> Query.Which.UNREAD;
            case "all" -> Query.Which.ALL;
            default -> throw new BadInput("bad_field", "Unknown filter.", "Pass all_active, unread or all.");
        };
        int limit = Math.clamp(params.number("limit").orElse(50L), 1, 1000);
        var before = params.text("cursor")
                .map(text -> RunId.parse(text)
                        .orElseThrow(() -> new BadInput(
                                "bad_field",
                                "The cursor is not one that a list returned.",
                                "Pass next_cursor as it was.")));
        var runs = house.list(new Query(which, Optional.of(call.owner()), limit + 1, before), call.caller());
        boolean more = runs.size() > limit;
        return telling.list(more ? runs.subList(0, limit) : runs, more, call.client());
    }

    private Answer output(ObjectNode given, Call call) {
        var params = params("agent_output", given);
        var found = RunCalls.theOne(house, params, call.caller());
        var timeout = params.timeout("timeout_ms", DEFAULT_TIMEOUT);
        var attempt = params.number("attempt").map(n -> Math.clamp(n, 0, Integer.MAX_VALUE));
        long cursor = params.number("cursor").orElse(0L);
        return told(
                params.flag("block")
                        ? await(found, cursor, attempt, timeout, call)
                        : house.output(found, new Output.Request(attempt, cursor, Output.Until.NOW, Duration.ZERO)),
                call);
    }

    private Answer stop(ObjectNode given, Call call) {
        var params = params("agent_stop", given);
        var caller = call.caller();
        var found = house.find(params.required("run_id"), caller);
        var run = house.stop(found, caller, params.text("reason"));
        boolean causedIt = !found.status().ended() && run.status() == Status.CANCELED_BY_USER;
        return Answer.of(telling.run(run, call.client()), telling.stopped(found, run))
                .then(() -> {
                    if (causedIt) house.wasRead(run, run.latest().n(), caller);
                });
    }

    private Answer send(ObjectNode given, Call call) {
        var params = params("agent_send", given);
        var found = house.find(params.required("run_id"), call.caller());
        var run = house.send(
                found, params.required("message"), call.caller(), call.client().callKey(call.requestId()));
        return Answer.of(telling.run(run, call.client()), telling.sent(found, run));
    }
}
