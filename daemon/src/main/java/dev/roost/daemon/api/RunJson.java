package dev.roost.daemon.api;

import dev.roost.base.RoostError;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.EvidenceJson;
import dev.roost.ledger.record.NoticeRecord;
import dev.roost.ledger.record.PauseWindow;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.RunId;
import dev.roost.model.Usage;
import dev.roost.output.OutputPage;
import dev.roost.service.RoostService;
import dev.roost.sessions.NoticeDigest;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Encodes runs, notices, pauses and errors as JSON. A run has the same fields everywhere; unknown ones are absent. */
public final class RunJson {

    public static final JsonMapper MAPPER = new JsonMapper();

    private final RoostService service;

    public RunJson(RoostService service) {
        this.service = service;
    }

    public ObjectNode run(RunRecord run) {
        return run(run, service.waitReasons(List.of(run)));
    }

    private ObjectNode run(RunRecord run, Map<RunId, String> waits) {
        var json = run(run, run.latest());
        var why = waits.get(run.id());
        return why == null ? json : json.put("waits", why);
    }

    /** The run as of one of its attempts. */
    public ObjectNode run(RunRecord run, AttemptRecord attempt) {
        var json = MAPPER.createObjectNode();
        json.put("run_id", run.id().text());
        run.name().ifPresent(name -> json.put("name", name));
        json.put("owner", run.owner().id());
        json.put("agent", run.agent());
        json.put("driver", run.driver());
        json.put("description", run.description());
        state(json, attempt);
        json.put("cwd", run.cwd().toString());
        run.work().ifPresent(worktree -> work(json, run, worktree));
        run.sessionId().ifPresent(session -> json.put("session_id", session));
        run.budget().maxTime().ifPresent(time -> json.put("max_time_ms", time.toMillis()));
        run.budget().maxTokens().ifPresent(most -> json.put("max_tokens", most));
        run.budget().maxCostMicros().ifPresent(most -> json.put("max_cost_usd", most / 1e6));
        run.budget().maxTurns().ifPresent(most -> json.put("max_turns", most));
        usage(json, attempt.n() == 1 ? attempt.usage() : service.usage(run));
        json.put("on_loss", run.resumeOnLoss() ? "resume" : "report");
        run.parent().ifPresent(parent -> json.put("parent", parent.text()));
        json.put("output_file", service.outputFile(run).toString());
        json.put("created_at", time(run.createdAt()));
        return json;
    }

    public ObjectNode attempt(AttemptRecord attempt) {
        var json = MAPPER.createObjectNode();
        state(json, attempt);
        json.put("created_at", time(attempt.createdAt()));
        return json;
    }

    /** The place and the landing of the run's code. */
    private static void work(ObjectNode json, RunRecord run, WorktreeRecord worktree) {
        json.put("worktree", worktree.place().path().toString());
        worktree.landing().ifPresent(landing -> json.put("landing", landing.stage()));
        var more = json.putObject("work");
        more.put("branch", "roost/" + run.id())
                .put("base", worktree.place().base())
                .put("repository", worktree.place().common().toString());
        run.holder().ifPresent(node -> more.put("node", node));
        putTime(more, "removed_at", worktree.removedAt());
        worktree.landing().ifPresent(landing -> {
            more.put("landing_text", landing.words());
            more.setAll((ObjectNode) MAPPER.readTree(landing.json()));
            more.put("looked_at", time(landing.at()));
        });
        worktree.rescue().ifPresent(rescue -> {
            more.put("rescue_ref", rescue.ref()).put("checkpoint_at", time(rescue.at()));
            if (rescue.leftOut() > 0) more.put("left_out", rescue.leftOut());
        });
        worktree.trouble().ifPresent(trouble -> more.put("trouble", trouble));
    }

    private static void state(ObjectNode json, AttemptRecord attempt) {
        json.put("status", attempt.status().word());
        attempt.phase().ifPresent(phase -> json.put("phase", phase.word()));
        attempt.cause().ifPresent(cause -> json.put("cause", cause.word()));
        attempt.stopping().ifPresent(stop -> json.put("stopped_by", stop.requestedBy()));
        attempt.evidence().ifPresent(evidence -> json.set("evidence", EvidenceJson.tree(evidence)));
        json.put("attempt", attempt.n());
        attempt.node().ifPresent(node -> json.put("node", node));
        putTime(json, "parked_until", attempt.parkedUntil());
        question(json, attempt);
        json.put("unread", attempt.unread());
        putTime(json, "started_at", attempt.startedAt());
        putTime(json, "ended_at", attempt.endedAt());
        if (!attempt.status().ended()) {
            attempt.began()
                    .ifPresent(startedProcesses ->
                            json.put("pid", startedProcesses.agent().pid()));
        }
    }

    private static void question(ObjectNode json, AttemptRecord attempt) {
        attempt.asked()
                .ifPresent(asked -> json.putObject("question")
                        .put("id", asked.question().id())
                        .put("kind", asked.question().kind().name().toLowerCase(Locale.ROOT))
                        .put("text", asked.question().text())
                        .put("asked_at", time(asked.at())));
    }

    private static void usage(ObjectNode json, Usage usage) {
        if (usage.equals(Usage.NONE)) return;
        var used = json.putObject("usage").put("input_tokens", usage.input());
        if (usage.cached() > 0) used.put("cached_tokens", usage.cached());
        used.put("output_tokens", usage.output());
        usage.costMicros().ifPresent(cost -> used.put("cost_usd", cost / 1e6));
        used.put("turns", usage.turns());
    }

    private static void putTime(ObjectNode json, String name, Optional<Instant> at) {
        at.ifPresent(value -> json.put(name, time(value)));
    }

    private static String time(Instant at) {
        return at.toString();
    }

    public ObjectNode show(RunRecord run) {
        var json = run(run);
        var attempts = json.putArray("attempts");
        for (var attempt : service.attempts(run)) {
            attempts.add(attempt(attempt.n() == run.latest().n() ? run.latest() : attempt)); // the same values as above
        }
        var timeline = json.putArray("timeline");
        service.events(run)
                .forEach(event -> timeline.addObject()
                        .put("at", time(event.at()))
                        .put("attempt", event.attempt())
                        .put("kind", event.kind())
                        .put("text", event.text()));
        var notices = json.putArray("notices");
        service.notices(run).forEach(notice -> {
            var one = notices.addObject().put("notice_id", "n_" + notice.id());
            one.put("kind", notice.kind()).put("attempt", notice.attempt()).put("created_at", time(notice.createdAt()));
            putTime(one, "acknowledged_at", notice.ackedAt());
        });
        return json;
    }

    public ObjectNode output(OutputPage output) {
        var json = run(output.run(), output.attempt());
        output.result().ifPresent(result -> json.put("result", result));
        output.resultFile().ifPresent(file -> json.put("result_file", file.toString()));
        json.put("text", output.text());
        json.put("next_cursor", output.nextCursor());
        if (output.more()) json.put("more", true);
        output.waited()
                .ifPresent(waited -> json.put("waited_ms", waited.toMillis()).put("timed_out", output.timedOut()));
        return json;
    }

    public ObjectNode runs(List<RunRecord> runs) {
        var json = MAPPER.createObjectNode();
        var list = json.putArray("runs");
        var waits = service.waitReasons(runs);
        runs.forEach(run -> list.add(run(run, waits)));
        return json;
    }

    ObjectNode runs(RunListPage page) {
        var json = runs(page.runs());
        page.nextCursor().ifPresent(cursor -> json.put("next_cursor", cursor));
        return json;
    }

    public ObjectNode notices(List<NoticeRecord> pending) {
        var json = MAPPER.createObjectNode();
        var list = json.putArray("notices");
        for (var notice : pending) list.add(notice(notice));
        json.put("digest", NoticeDigest.of(pending));
        return json;
    }

    public ObjectNode notice(NoticeRecord notice) {
        var json = MAPPER.createObjectNode();
        json.put("notice_id", "n_" + notice.id());
        json.put("kind", notice.kind());
        json.put("owner", notice.owner().id());
        switch (notice) {
            case NoticeRecord.RunNotice one -> {
                json.put("run_id", one.run().id().text());
                one.run().name().ifPresent(name -> json.put("name", name));
                json.put("attempt", one.attempt().n());
                json.put("status", one.attempt().status().word());
                one.attempt().cause().ifPresent(cause -> json.put("cause", cause.word()));
                if (one.kind().equals("needs_input")) question(json, one.attempt());
            }
            case NoticeRecord.PauseNotice report -> json.set("pause", pause(report.pause()));
        }
        json.put("created_at", time(notice.createdAt()));
        json.put("text", NoticeDigest.line(notice));
        return json;
    }

    /** A pause window, and the fate of the runs that were live when it began. */
    public ObjectNode pause(PauseWindow pause) {
        var json = MAPPER.createObjectNode();
        json.put("kind", pause.kind().word()).put("began_at", time(pause.beganAt()));
        putTime(json, "ended_at", pause.endedAt());
        json.put("text", pause.kind().inWords());
        var remarks = json.putArray("remarks");
        pause.remarks()
                .forEach(
                        remark -> remarks.addObject().put("text", remark.text()).put("failed", remark.failed()));
        var runs = json.putArray("runs");
        pause.runs()
                .forEach(caught -> runs.add(run(caught.run())
                        .put("paused_attempt", caught.attempt().n())
                        .put("fate", caught.state().name().toLowerCase(Locale.ROOT))));
        return json;
    }

    /** {@code {"code", "message", "hint"}}: the shape of every error. */
    public static ObjectNode error(RoostError error) {
        return MAPPER.createObjectNode()
                .put("code", error.code())
                .put("message", error.sentence())
                .put("hint", error.hint());
    }
}
