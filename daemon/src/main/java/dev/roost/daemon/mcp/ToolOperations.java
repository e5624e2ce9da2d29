package dev.roost.daemon.mcp;

import dev.roost.daemon.api.CallerLimits;
import dev.roost.daemon.api.FieldSpec;
import dev.roost.daemon.api.RequestFields;
import dev.roost.daemon.api.RunOperations;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Caller;
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

    private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(5);
    private static final Duration UNLIMITED = Duration.ofDays(365);

    /** The fields that a model may send to each operation. */
    static final Map<String, List<FieldSpec>> FIELDS = Map.of(
            "agent",
            FieldSpec.without(RunOperations.START, "argv", "owner", "env", "umask", "worktree"),
            "agent_list",
            FieldSpec.without(RunOperations.LIST, "owner", "agent", "status", "q"),
            "agent_output",
            FieldSpec.without(RunOperations.OUTPUT, "follow"),
            "agent_stop",
            RunOperations.STOP,
            "agent_send",
            FieldSpec.without(RunOperations.SEND, "question"));

    private final RoostService service;
    private final RunOperations runs;
    private final ToolReplies replies;

    public ToolOperations(RoostService service, RunOperations runs) {
        this.service = service;
        this.runs = runs;
        this.replies = new ToolReplies(service);
    }

    /**
     * An answer as fields and as text, and the action to run once it was written to the caller. Some harnesses show their model
     * only the fields, so these have a {@code message} too. {@code agentOutput}: output of the agent, not translated by dialects.
     */
    record ToolResult(ObjectNode json, String text, String agentOutput, Runnable onDelivered) {
        ToolResult(ObjectNode json, String text) {
            this(json, text, "", () -> {});
        }

        static ToolResult of(ObjectNode json, String message) {
            return new ToolResult(json.put("message", message), message);
        }

        ToolResult withOnDelivered(Runnable afterwards) {
            return new ToolResult(json, text, agentOutput, afterwards);
        }
    }

    /** One call: its caller, how long that waits for the answer, and the receiver of progress. */
    record ToolCallContext(CallerLimits limits, Duration patience, Consumer<String> progress) {
        Caller caller() {
            return limits.caller();
        }
    }

    ToolResult run(Dialect.ToolInvocation invocation, ToolCallContext call) {
        var operation = invocation.operation();
        var requestFields =
                RequestFields.of(invocation.arguments(), FieldSpec.names(FIELDS.getOrDefault(operation, List.of())));
        var paths = call.limits.terms().paths();
        return switch (operation) {
            case "agent" -> start(requestFields, call);
            case "agent_list" -> replies.list(runs.list(requestFields, call.caller()), paths);
            case "agent_output" -> output(requestFields, call);
            case "agent_stop" -> {
                var change = runs.stop(requestFields, call.caller());
                yield ToolResult.of(replies.run(change.run(), paths), replies.stopped(change))
                        .withOnDelivered(change.onDelivered());
            }
            case "agent_send" -> {
                var change = runs.send(requestFields, call.caller(), call.caller(), call.limits.callKey());
                yield ToolResult.of(replies.run(change.run(), paths), replies.sent(change));
            }
            default -> throw new IllegalStateException("no operation " + operation);
        };
    }

    private ToolResult start(RequestFields requestFields, ToolCallContext call) {
        requestFields.required("prompt");
        var run = runs.start(requestFields, call.limits);
        if (!requestFields.flag("run_in_background"))
            return reply(await(run, 0, Optional.empty(), UNLIMITED, call), call);
        var paths = call.limits.terms().paths();
        var placed = service.awaitPlacement(run); // a model that reads "queued" would expect a wait
        return ToolResult.of(replies.run(placed, paths), replies.started(placed, paths));
    }

    private ToolResult output(RequestFields requestFields, ToolCallContext call) {
        var run = runs.find(requestFields, call.caller());
        var request = RunOperations.request(requestFields);
        return reply(
                request.until() == OutputPage.WaitMode.NOW
                        ? service.output(run, request)
                        : await(run, request.cursor(), request.attempt(), request.timeout(), call),
                call);
    }

    /** Waits for the run's end, at most for the timeout and the client's patience, and reports progress meanwhile. */
    private OutputPage await(
            RunRecord run, long cursor, Optional<Integer> attempt, Duration timeout, ToolCallContext call) {
        var most = timeout.compareTo(call.patience) < 0 ? timeout : call.patience;
        var waited = Duration.ZERO;
        while (true) {
            var left = most.minus(waited);
            var slice = left.compareTo(PROGRESS_INTERVAL) < 0 ? left : PROGRESS_INTERVAL;
            var output = service.output(run, new OutputPage.Request(attempt, cursor, OutputPage.WaitMode.END, slice));
            waited = waited.plus(output.waited().orElse(Duration.ZERO));
            if (!output.timedOut() || waited.compareTo(most) >= 0) return output.afterWaiting(waited);
            call.progress.accept(replies.progress(output));
        }
    }

    private ToolResult reply(OutputPage output, ToolCallContext call) {
        return replies.output(output, call.limits.terms().paths())
                .withOnDelivered(() -> service.markRead(output, call.caller()));
    }
}
