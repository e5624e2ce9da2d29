package dev.roost.daemon.mcp;

import dev.roost.base.BadInput;
import dev.roost.daemon.api.RequestFields;
import dev.roost.daemon.api.RunOperations;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Caller;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.output.OutputPage;
import dev.roost.service.RoostService;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/** The five operations behind the tools of all dialects. */
public final class ToolOperations {

    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(5);
    private static final Duration UNLIMITED = Duration.ofDays(365);

    /** The fields of each operation. */
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

    private final RoostService service;
    private final ToolRunStarter runStarter;
    private final ToolReplies toolReplies;

    public ToolOperations(RoostService service, AllowedAgents agents) {
        this.service = service;
        this.runStarter = new ToolRunStarter(service, agents);
        this.toolReplies = new ToolReplies(service);
    }

    /**
     * An answer as fields and as text, and the action to run once it was written to the caller. Some harnesses show their model
     * only the fields, so these have a {@code message} too. {@code agentOutput}: output of the agent, not translated by dialects.
     */
    record ToolResult(ObjectNode json, String text, String agentOutput, Runnable onDelivered) {
        ToolResult(ObjectNode json, String text) {
            this(json, text, "");
        }

        ToolResult(ObjectNode json, String text, String agentOutput) {
            this(json, text, agentOutput, () -> {});
        }

        static ToolResult of(ObjectNode json, String message) {
            return new ToolResult(json.put("message", message), message);
        }

        ToolResult withOnDelivered(Runnable afterwards) {
            return new ToolResult(json, text, agentOutput, afterwards);
        }
    }

    /** One call: its client, and the receiver of its progress. */
    record ToolCallContext(
            ToolClient client,
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

    ToolResult run(Dialect.ToolInvocation invocation, ToolCallContext call) throws InterruptedException {
        return switch (invocation.operation()) {
            case "agent" -> agent(invocation.arguments(), call);
            case "agent_list" -> list(invocation.arguments(), call);
            case "agent_output" -> output(invocation.arguments(), call);
            case "agent_stop" -> stop(invocation.arguments(), call);
            case "agent_send" -> send(invocation.arguments(), call);
            default -> throw new IllegalStateException("no operation " + invocation.operation());
        };
    }

    private static RequestFields params(String operation, ObjectNode arguments) {
        return RequestFields.of(
                arguments, FIELDS.getOrDefault(operation, List.of()).toArray(String[]::new));
    }

    private ToolResult agent(ObjectNode arguments, ToolCallContext call) throws InterruptedException {
        var requestFields = params("agent", arguments);
        var client = call.client();
        var owner = call.owner();
        var run = runStarter.startInDirectory(requestFields, client, owner, client.callKey(call.requestId()));
        if (requestFields.flag("run_in_background")) {
            var placed = service.awaitPlacement(run); // a model that reads "queued" would expect a wait
            return ToolResult.of(toolReplies.run(placed, client), toolReplies.started(placed, client));
        }
        return outputAnswer(await(run, 0, Optional.empty(), UNLIMITED, call), call);
    }

    /** Waits for the run's end, at most for the timeout and the client's patience, and reports progress meanwhile. */
    private OutputPage await(
            RunRecord run, long cursor, Optional<Integer> attempt, Duration timeout, ToolCallContext call) {
        var patience = call.client().patience(call.hearsProgress());
        var most = timeout.compareTo(patience) < 0 ? timeout : patience;
        var waited = Duration.ZERO;
        while (true) {
            var left = most.minus(waited);
            var slice = left.compareTo(PROGRESS_INTERVAL) < 0 ? left : PROGRESS_INTERVAL;
            var output = service.output(run, new OutputPage.Request(attempt, cursor, OutputPage.WaitMode.END, slice));
            waited = waited.plus(output.waited().orElse(Duration.ZERO));
            if (!output.timedOut() || waited.compareTo(most) >= 0) return output.afterWaiting(waited);
            call.progress().accept(toolReplies.progress(output));
        }
    }

    private ToolResult outputAnswer(OutputPage output, ToolCallContext call) {
        var caller = call.caller();
        return toolReplies.output(output, call.client()).withOnDelivered(() -> {
            if (output.attempt().status().ended())
                service.markRead(output.run(), output.attempt().n(), caller);
        });
    }

    private ToolResult list(ObjectNode arguments, ToolCallContext call) {
        var requestFields = params("agent_list", arguments);
        var statusFilter = switch (requestFields.text("filter").orElse("all_active")) {
            case "all_active" -> RunQuery.StatusFilter.ACTIVE;
            case "unread" -> RunQuery.StatusFilter.UNREAD;
            case "all" -> RunQuery.StatusFilter.ALL;
            default -> throw new BadInput("bad_field", "Unknown filter.", "Pass all_active, unread or all.");
        };
        int limit = Math.clamp(requestFields.number("limit").orElse(50L), 1, 1000);
        var before = requestFields
                .text("cursor")
                .map(text -> RunId.parse(text)
                        .orElseThrow(() -> new BadInput(
                                "bad_field",
                                "The cursor is not one that a list returned.",
                                "Pass next_cursor unchanged.")));
        var runs =
                service.list(new RunQuery(statusFilter, Optional.of(call.owner()), limit + 1, before), call.caller());
        boolean more = runs.size() > limit;
        return toolReplies.list(more ? runs.subList(0, limit) : runs, more, call.client());
    }

    private ToolResult output(ObjectNode arguments, ToolCallContext call) {
        var requestFields = params("agent_output", arguments);
        var found = RunOperations.findRun(service, requestFields, call.caller());
        var timeout = requestFields.timeout("timeout_ms", DEFAULT_TIMEOUT);
        var attempt = requestFields.number("attempt").map(n -> Math.clamp(n, 0, Integer.MAX_VALUE));
        long cursor = requestFields.number("cursor").orElse(0L);
        return outputAnswer(
                requestFields.flag("block")
                        ? await(found, cursor, attempt, timeout, call)
                        : service.output(
                                found, new OutputPage.Request(attempt, cursor, OutputPage.WaitMode.NOW, Duration.ZERO)),
                call);
    }

    private ToolResult stop(ObjectNode arguments, ToolCallContext call) {
        var requestFields = params("agent_stop", arguments);
        var caller = call.caller();
        var found = service.find(requestFields.required("run_id"), caller);
        var run = service.stop(found, caller, requestFields.text("reason"));
        boolean causedIt = !found.status().ended() && run.status() == Status.CANCELED_BY_USER;
        return ToolResult.of(toolReplies.run(run, call.client()), toolReplies.stopped(found, run))
                .withOnDelivered(() -> {
                    if (causedIt) service.markRead(run, run.latest().n(), caller);
                });
    }

    private ToolResult send(ObjectNode arguments, ToolCallContext call) {
        var requestFields = params("agent_send", arguments);
        var found = service.find(requestFields.required("run_id"), call.caller());
        var run = service.send(
                found,
                requestFields.required("message"),
                call.caller(),
                call.client().callKey(call.requestId()));
        return ToolResult.of(toolReplies.run(run, call.client()), toolReplies.sent(found, run));
    }
}
