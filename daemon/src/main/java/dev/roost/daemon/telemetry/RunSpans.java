package dev.roost.daemon.telemetry;

import dev.roost.agents.AgentProfile;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.TimelineEvent;
import dev.roost.model.Cause;
import dev.roost.model.EventKind;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.model.Usage;
import dev.roost.service.RoostService;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.sdk.trace.data.EventData;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes spans from a run's records. {@code content}: the spans may contain texts of the run. */
record RunSpans(RoostService service, boolean content, TraceSpan.SpanSource source) {

    private static final int MAX_CHARS = 4_000;

    /** The spans of an ended attempt, and of its turn if that has ended too. */
    List<TraceSpan> attemptSpans(RunId id, int n) {
        var found = service.run(id);
        if (found.isEmpty()) return List.of(); // the run was removed meanwhile
        var run = found.get();
        var attempts = service.attempts(run);
        if (attempts.size() < n) return List.of();
        var attempt = attempts.get(n - 1);
        var toolSpans = ToolSpans.read(service.transcript(run), n);
        var spans = new ArrayList<>(new AttemptSpans(run, attempt, service.events(run), toolSpans).spans());
        var turn = attempts.stream().filter(one -> one.turn() == attempt.turn()).toList();
        if (turn.getLast().n() == n) spans.add(turn(run, turn, toolSpans.model()));
        return spans;
    }

    /** The span of an acknowledged notice. */
    List<TraceSpan> noticeSpans(RunId id, long notice) {
        var found = service.run(id);
        if (found.isEmpty()) return List.of();
        var run = found.get();
        var trace = service.notices(run).stream()
                .filter(one -> one.id() == notice && one.ackedAt().isPresent())
                .findFirst();
        if (trace.isEmpty()) return List.of();
        var one = trace.get();
        var until = one.ackedAt().get();
        var offers = service.events(run).stream()
                .filter(event -> EventKind.OFFERED.is(event.kind()) && event.attempt() == one.attempt())
                .filter(event ->
                        !event.at().isBefore(one.createdAt()) && !event.at().isAfter(until))
                .map(event -> EventData.create(TraceSpan.nanos(event.at()), "offered", Attributes.empty()))
                .toList();
        int turn = service.attempts(run).get(one.attempt() - 1).turn();
        var ids = new TraceIds(id);
        var attributes = Attributes.builder();
        attributes.put("roost.run.id", id.text());
        attributes.put("roost.attempt", (long) one.attempt());
        attributes.put("roost.notice.id", one.id());
        attributes.put("roost.notice.kind", one.kind());
        return List.of(TraceSpan.of(
                source,
                ids.trace(),
                ids.span("notice", notice),
                Optional.of(ids.span("invoke", turn)),
                "notice",
                one.createdAt(),
                until,
                attributes,
                offers,
                Optional.empty(),
                Optional.empty()));
    }

    /** The span of a turn, from the request to the result, over all its attempts. */
    private TraceSpan turn(RunRecord run, List<AttemptRecord> attempts, Optional<String> model) {
        var ids = new TraceIds(run.id());
        var last = attempts.getLast();
        var attributes = Attributes.builder();
        attributes.put("gen_ai.operation.name", "invoke_agent");
        attributes.put("gen_ai.agent.name", run.agent());
        provider(run.driver()).ifPresent(name -> attributes.put("gen_ai.provider.name", name));
        AgentProfile.read(run.profile()).model().ifPresent(name -> attributes.put("gen_ai.request.model", name));
        model.ifPresent(name -> attributes.put("gen_ai.response.model", name));
        run.sessionId().ifPresent(session -> attributes.put("gen_ai.conversation.id", session));
        usage(attempts.stream().map(AttemptRecord::usage).reduce(Usage.NONE, Usage::plus), attributes);
        attributes.put("roost.run.id", run.id().text());
        run.name().ifPresent(name -> attributes.put("roost.run.name", name));
        attributes.put("roost.owner", run.owner().id());
        attributes.put("roost.driver", run.driver());
        attributes.put("roost.turn", (long) last.turn());
        attributes.put("roost.attempts", (long) attempts.size());
        attributes.put("roost.status", last.status().word());
        last.cause().map(Cause::word).ifPresent(cause -> attributes.put("roost.cause", cause));
        if (content) {
            attributes.put("roost.description", cut(run.description()));
            service.result(run, last.n()).ifPresent(text -> attributes.put("roost.result", cut(text)));
        }
        boolean first = last.turn() == 1;
        return TraceSpan.of(
                source,
                ids.trace(),
                ids.span("invoke", last.turn()),
                first ? Optional.empty() : Optional.of(ids.span("invoke", 1)),
                "invoke_agent " + run.agent(),
                attempts.getFirst().createdAt(),
                last.endedAt().orElseThrow(),
                attributes,
                List.of(),
                first ? service.variable(run, "TRACEPARENT").flatMap(TraceParent::read) : Optional.empty(),
                death(last));
    }

    private static void usage(Usage usage, AttributesBuilder attributes) {
        if (usage.tokens() + usage.cached() == 0) return;
        attributes.put("gen_ai.usage.input_tokens", usage.input() + usage.cached());
        attributes.put("gen_ai.usage.cache_read.input_tokens", usage.cached());
        attributes.put("gen_ai.usage.output_tokens", usage.output());
        usage.costMicros().ifPresent(micros -> attributes.put("roost.cost_usd", micros / 1e6));
    }

    private static Optional<String> provider(String driver) {
        return Optional.ofNullable(Map.of("claude", "anthropic", "codex", "openai", "gemini", "gcp.gemini")
                .get(driver));
    }

    /** The cause, if the attempt failed or was abandoned. A requested stop is no error. */
    private static Optional<String> death(AttemptRecord attempt) {
        boolean dead = attempt.status() == Status.FAILED || attempt.status() == Status.ABANDONED;
        return attempt.cause().filter(_ -> dead).map(Cause::word);
    }

    private static String cut(String text) {
        return text.length() <= MAX_CHARS ? text : text.substring(0, MAX_CHARS) + "…";
    }

    /** The spans of one attempt: queue, spawn, its tools, and the time from its exit to the commit of its end. */
    private final class AttemptSpans {
        private final RunRecord run;
        private final AttemptRecord attempt;
        private final List<TimelineEvent> events;
        private final ToolSpans toolSpans;
        private final TraceIds ids;
        private final Instant endedAt;

        AttemptSpans(RunRecord run, AttemptRecord attempt, List<TimelineEvent> events, ToolSpans toolSpans) {
            this.run = run;
            this.attempt = attempt;
            this.events = events;
            this.toolSpans = toolSpans;
            this.ids = new TraceIds(run.id());
            this.endedAt = attempt.endedAt().orElseThrow();
        }

        List<TraceSpan> spans() {
            var spans = new ArrayList<TraceSpan>();
            var claimed = attempt.startedAt();
            spans.add(span("queued", attempt.createdAt(), claimed.orElse(endedAt), Optional.empty()));
            if (claimed.isPresent()) {
                var began = at(EventKind.BEGAN);
                spans.add(span(
                        "spawn",
                        claimed.get(),
                        began.orElse(endedAt),
                        began.isPresent() ? Optional.empty() : death(attempt)));
            }
            for (var call : toolSpans.calls()) spans.add(tool(call));
            spans.add(span("end", endedAt, at(EventKind.ENDED).orElse(endedAt), death(attempt)));
            return spans;
        }

        private Optional<Instant> at(EventKind kind) {
            return events.stream()
                    .filter(event -> kind.is(event.kind()) && event.attempt() == attempt.n())
                    .map(TimelineEvent::at)
                    .findFirst();
        }

        private AttributesBuilder attributes() {
            var attributes = Attributes.builder();
            attributes.put("roost.run.id", run.id().text());
            attributes.put("roost.attempt", (long) attempt.n());
            return attributes;
        }

        private TraceSpan span(String name, Instant from, Instant until, Optional<String> error) {
            var attributes = attributes();
            if (name.equals("end")) {
                attributes.put("roost.status", attempt.status().word());
                attempt.cause().ifPresent(cause -> attributes.put("roost.cause", cause.word()));
                if (toolSpans.leftOut() > 0) attributes.put("roost.tools_left_out", (long) toolSpans.leftOut());
            }
            return make(ids.span(name, attempt.n()), name, from, until, attributes, error);
        }

        private TraceSpan tool(ToolSpans.ToolCallSpan call) {
            var attributes = attributes();
            attributes.put("gen_ai.operation.name", "execute_tool");
            attributes.put("gen_ai.tool.name", call.name());
            attributes.put("gen_ai.tool.call.id", call.id());
            if (content) attributes.put("roost.tool.line", cut(call.line()));
            Optional<String> error = call.until().isEmpty()
                    ? Optional.of("interrupted")
                    : call.failed() ? Optional.of("tool_error") : Optional.empty();
            return make(
                    ids.span("tool/" + call.id(), attempt.n()),
                    "execute_tool " + call.name(),
                    call.from(),
                    call.until().orElse(endedAt),
                    attributes,
                    error);
        }

        private TraceSpan make(
                String id,
                String name,
                Instant from,
                Instant until,
                AttributesBuilder attributes,
                Optional<String> error) {
            return TraceSpan.of(
                    source,
                    ids.trace(),
                    id,
                    Optional.of(ids.span("invoke", attempt.turn())),
                    name,
                    from,
                    until,
                    attributes,
                    List.of(),
                    Optional.empty(),
                    error);
        }
    }
}
