package dev.roost.daemon.web;

import dev.roost.base.TextFormat;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.NoticeHistory;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.TimelineEvent;
import dev.roost.model.Caller;
import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.service.RoostService;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The page of one run. */
final class RunPage {

    private final RoostService service;
    private final Caller caller;
    private final RunRecord run;
    private final Instant now;
    private final RunRow runRow;

    RunPage(RoostService service, Caller caller, RunRecord run, Instant now) {
        this.service = service;
        this.caller = caller;
        this.run = run;
        this.now = now;
        this.runRow = new RunRow(service, now);
    }

    /** {@code output}: the end of the run's output, which continues at {@code cursor}. */
    Html html(Assets assets, Html output, boolean cut, long cursor) {
        var regions = regions();
        return PageLayout.page(
                assets,
                RunRow.title(run),
                "/runs/%s/live?cursor=%d".formatted(run.id(), cursor),
                now,
                Html.of(
                        """
                        <p class="back"><a href="/">← fleet</a></p>{}{}{}{}
                        <div class="columns run-columns"><section class="output panel" aria-labelledby="output-head">\
                        <h2 id="output-head">Output {}</h2>\
                        {}<pre id="output"{} tabindex="0" role="log" aria-label="output" aria-live="off">{}</pre></section>\
                        <aside>{}{}</aside></div>
                        {}
                        """,
                        regions.getOrDefault("head", Html.NONE),
                        regions.getOrDefault("question", Html.NONE),
                        regions.getOrDefault("certificate", Html.NONE),
                        regions.getOrDefault("timeline", Html.NONE),
                        following(),
                        cut
                                ? Html.of(
                                        "<p class=\"dim\">Only the end is shown; all of it: <code>roost output {}</code></p>",
                                        run.id())
                                : Html.NONE,
                        run.status().ended() ? Html.of(" class=\"over\"") : Html.NONE,
                        output.isEmpty() && run.status().ended() ? Html.of("There is no output.") : output,
                        work(),
                        regions.getOrDefault("actions", Html.NONE),
                        regions.getOrDefault("events", Html.NONE)));
    }

    /** The panel about the run's code. It queries git, so it is not rendered for every change. */
    Html work() {
        return new WorktreePanel(service, run).html();
    }

    Map<String, Html> regions() {
        var attempts = service.attempts(run);
        var events = service.events(run);
        var notices = service.notices(run);
        var regions = new LinkedHashMap<String, Html>();
        regions.put("head", head());
        regions.put("question", question());
        regions.put("certificate", certificate());
        regions.put(
                "timeline",
                Html.of(
                        "<section id=\"timeline\" class=\"panel\" aria-label=\"Timeline\">{}</section>",
                        timeline(attempts, events, notices)));
        regions.put("actions", actions());
        regions.put("events", events(events));
        return regions;
    }

    private Html head() {
        var usage = service.usage(run);
        var facts = new ArrayList<Html>();
        fact(facts, "for", run.owner().id());
        fact(facts, "agent", run.agent());
        run.latest().node().ifPresent(node -> fact(facts, "node", node));
        service.waitReasons(List.of(run)).values().forEach(why -> fact(facts, "waits", why));
        fact(facts, "started", RelativeTime.clock(run.latest().startedAt().orElse(run.createdAt()), now));
        fact(
                facts,
                run.status().ended() ? "took" : "at work for",
                run.latest()
                        .took()
                        .map(time -> Html.text(RelativeTime.brief(time)))
                        .orElseGet(() ->
                                RelativeTime.since(run.latest().startedAt().orElse(run.createdAt()), now)));
        if (run.latest().n() > 1) fact(facts, "attempts", run.latest().n());
        if (usage.tokens() > 0) fact(facts, "tokens", TextFormat.count(usage.tokens()));
        usage.costMicros().ifPresent(cost -> fact(facts, "cost", TextFormat.dollars(cost)));
        fact(facts, "id", Html.of("<code>{}</code>", run.id()));
        return Html.of(
                """
                <section id="head" class="run-head {}"><h1><span class="mark" aria-hidden="true">{}</span> {} \
                <span class="pill">{}</span></h1><p class="asked">{}</p><dl class="facts line">{}</dl></section>
                """,
                RunRow.tone(run),
                RunRow.mark(run),
                RunRow.title(run),
                runRow.state(run),
                RunRow.shortened(run.description(), 400),
                Html.all(facts));
    }

    private static Html following() {
        return Html.of("<label class=\"follow\"><input type=\"checkbox\" id=\"follow\" checked> follow</label>");
    }

    private static void fact(List<Html> facts, String name, Object value) {
        facts.add(Html.of("<div><dt>{}</dt><dd>{}</dd></div>", name, value));
    }

    private Html question() {
        if (!FleetSnapshot.needsInput(run)) return Html.of("<div id=\"question\"></div>");
        return Html.of(
                "<section id=\"question\" class=\"urgent\"><h2>It needs you</h2><blockquote>{}</blockquote>{}</section>",
                RunRow.question(run),
                FleetPage.answer(run));
    }

    /** The evidence of a failed or abandoned run. */
    private Html certificate() {
        if (!FleetSnapshot.died(run)) return Html.of("<div id=\"certificate\"></div>");
        var attempt = run.latest();
        var facts = new ArrayList<Html>();
        fact(
                facts,
                "cause",
                Html.of(
                        "{} <code>{}</code>",
                        RunRow.why(run),
                        attempt.cause().map(Cause::word).orElse("")));
        attempt.endedAt().ifPresent(at -> fact(facts, "when", RelativeTime.clock(at, now)));
        attempt.evidence().ifPresent(evidence -> {
            evidence.exit()
                    .map(Exit::inWords)
                    .filter(words -> !words.equals(RunRow.why(run)))
                    .ifPresent(words -> fact(facts, "exit", words));
            evidence.agent().ifPresent(process -> fact(facts, "process", process.pid()));
            evidence.lastSignOfLife().ifPresent(at -> fact(facts, "last sign of life", RelativeTime.clock(at, now)));
            evidence.active().ifPresent(time -> fact(facts, "was at work", RelativeTime.brief(time)));
            evidence.slept()
                    .filter(time -> !time.isZero())
                    .ifPresent(time -> fact(facts, "machine slept", RelativeTime.brief(time)));
            evidence.note().ifPresent(note -> fact(facts, "note", note));
            if (!evidence.leftovers().isEmpty()) fact(facts, "left behind", String.join("; ", evidence.leftovers()));
        });
        var stderr = attempt.evidence().map(evidence -> evidence.stderrTail()).filter(tail -> !tail.isBlank());
        return Html.of(
                "<section id=\"certificate\" class=\"certificate\"><h2>Certificate of death</h2><dl class=\"facts\">{}</dl>{}</section>",
                Html.all(facts),
                stderr.map(tail -> Html.of("<h3>end of standard error</h3><pre>{}</pre>", new Ansi().render(tail)))
                        .orElse(Html.NONE));
    }

    private Html timeline(List<AttemptRecord> attempts, List<TimelineEvent> events, List<NoticeHistory> notices) {
        var from = run.createdAt();
        var last = run.status().ended()
                ? Stream.of(
                                attempts.stream().flatMap(attempt -> attempt.endedAt().stream()),
                                notices.stream().map(NoticeHistory::createdAt),
                                notices.stream().flatMap(notice -> notice.ackedAt().stream()))
                        .flatMap(one -> one)
                        .max(Instant::compareTo)
                        .orElse(now)
                : now;
        return new RunTimeline(from, last, now)
                .html(
                        attempts,
                        service.activityReports().pauses(Duration.between(from, now), Optional.empty(), caller),
                        notices,
                        events);
    }

    private Html actions() {
        var stop = run.status().ended() ? Html.NONE : Html.of("""
                        <button type="button" class="danger" id="stop">Stop it</button>\
                        <dialog id="stopping"><h2>Stop {}?</h2><p>Its whole process tree ends. Its work is kept.</p>\
                        <form method="post" action="/runs/{}/stop" hx-post="/runs/{}/stop" hx-target="#toast">\
                        <button class="danger" id="really-stop">Stop it</button> <button type="button" class="quiet-button" data-close>Leave it</button></form></dialog>
                        """, RunRow.title(run), run.id(), run.id());
        return Html.of(
                "<section id=\"actions\" class=\"panel\"><h2>{}</h2>{}{}</section>",
                run.status().ended() ? "Continue it" : "Send to it",
                service.acceptsMessages(run) ? sending() : noInputNotice(),
                stop);
    }

    private Html sending() {
        return Html.of(
                """
                <form class="send" method="post" action="/runs/{}/send" hx-post="/runs/{}/send" hx-target="#toast">\
                <label for="message" class="unseen">Message</label><textarea id="message" name="message" rows="2" required placeholder="{}"></textarea>\
                <button>Send</button></form>
                """,
                run.id(),
                run.id(),
                run.status().ended() ? "Its next turn begins with this" : "The agent gets this at its next safe point");
    }

    private Html noInputNotice() {
        return Html.of(
                "<p class=\"dim\">{}</p>",
                run.status().ended()
                        ? "It cannot be continued: it keeps no conversation, or its owner has used up the budget of today."
                        : "It takes no messages while it works.");
    }

    private Html events(List<TimelineEvent> events) {
        var rows = events.stream()
                .map(event -> Html.of(
                        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                        RelativeTime.clock(event.at(), now),
                        event.attempt(),
                        event.kind(),
                        event.text()))
                .toList();
        return Html.of("""
                <details id="events" class="panel"><summary>Everything that happened ({})</summary>\
                <table><thead><tr><th>when</th><th>attempt</th><th>what</th><th></th></tr></thead><tbody>{}</tbody></table></details>
                """, events.size(), Html.all(rows));
    }
}
