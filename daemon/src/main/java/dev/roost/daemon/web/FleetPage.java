package dev.roost.daemon.web;

import dev.roost.base.TextFormat;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Question;
import dev.roost.service.RoostService;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The page with the whole fleet. Its changing parts are regions, each of which can be sent again. */
final class FleetPage {

    private static final int MOST_DEAD = 6;

    private final RoostService service;
    private final FleetSnapshot fleet;
    private final RunRow runRow;
    private final OwnerGroups ownerGroups;

    FleetPage(RoostService service, FleetSnapshot fleet) {
        this.service = service;
        this.fleet = fleet;
        this.runRow = new RunRow(service, fleet.now());
        this.ownerGroups = new OwnerGroups(fleet, runRow);
    }

    OwnerGroups groups() {
        return ownerGroups;
    }

    RunRow runRow() {
        return runRow;
    }

    Html html(Assets assets, List<RunRecord> first, String older, String position) {
        var regions = regions();
        return PageLayout.page(
                assets,
                "Fleet",
                "/live?after=" + position,
                fleet.now(),
                Html.of(
                        """
                        <h1 class="unseen">Fleet</h1>
                        {}<div class="alerts">{}{}</div>{}
                        <div class="columns"><div class="list">
                        <div class="find"><label class="unseen" for="filter">Search runs</label>\
                        <input id="filter" type="search" placeholder="Search runs ( / )" autocomplete="off">\
                        <span id="found" role="status"></span></div>
                        <div id="groups" data-older="{}">{}</div>
                        {}
                        </div><aside>{}{}</aside></div>
                        """,
                        region(regions, "tiles"),
                        region(regions, "needs"),
                        region(regions, "died"),
                        region(regions, "away"),
                        older,
                        ownerGroups.html(first),
                        first.isEmpty() ? empty() : Html.NONE,
                        region(regions, "spend"),
                        region(regions, "queue")));
    }

    private static Html region(Map<String, Html> regions, String id) {
        return regions.getOrDefault(id, Html.NONE);
    }

    private static Html empty() {
        return Html.of("<p class=\"empty\" id=\"empty\">No run yet. Start one: <code>roost run -- sleep 60</code></p>");
    }

    /** The regions by their ids. */
    Map<String, Html> regions() {
        var regions = new LinkedHashMap<String, Html>();
        regions.put("tiles", tiles());
        regions.put("away", new PauseBanner(fleet).html());
        regions.put("needs", needs());
        regions.put("died", died());
        regions.put(
                "spend", Html.of("<section id=\"spend\" class=\"panel\">{}</section>", new SpendChart(fleet).html()));
        regions.put("queue", queue());
        return regions;
    }

    private Html tiles() {
        int dead = fleet.dead().size();
        return Html.of(
                "<nav id=\"tiles\" aria-label=\"counts, each shows only those runs\">{}{}{}{}{}{}</nav>",
                tile("needs", fleet.asking().size(), fleet.asking().size() == 1 ? "needs you" : "need you"),
                tile("running", fleet.running().size(), "running"),
                tile("queued", fleet.queued().size(), "queued"),
                tile("died", dead, "died in 24 h"),
                tile("done", fleet.ended().size() - dead, "done in 24 h"),
                Html.of(
                        "<span class=\"tile money\"><b>{}</b><span>today (UTC), {} tokens</span></span>",
                        TextFormat.dollars(fleet.costToday()),
                        TextFormat.count(fleet.tokensToday())));
    }

    private static Html tile(String state, int n, String words) {
        return Html.of(
                "<button type=\"button\" class=\"tile {}{}\" data-show=\"{}\" aria-pressed=\"false\"><b>{}</b><span>{}</span></button>",
                state,
                n == 0 ? " zero" : "",
                state,
                n,
                words);
    }

    private Html needs() {
        if (fleet.asking().isEmpty()) return Html.of("<div id=\"needs\"></div>");
        return Html.of(
                "<section id=\"needs\" class=\"urgent\" aria-labelledby=\"needs-head\"><h2 id=\"needs-head\">Needs you now</h2>{}</section>",
                Html.all(fleet.asking().stream().map(this::asking).toList()));
    }

    private Html asking(RunRecord run) {
        return Html.of(
                """
                <article class="ask"><p><a class="name" href="/runs/{}">{}</a> <span class="for">for {}</span> \
                <span class="waits">waits {}</span> <span class="where">in <code>{}</code>{}</span></p><blockquote>{}</blockquote>{}</article>
                """,
                run.id(),
                RunRow.title(run),
                run.owner().id(),
                runRow.age(run),
                run.cwd(),
                run.work().isPresent() ? ", a worktree of its own" : ", not isolated",
                RunRow.question(run),
                answer(run));
    }

    /** The form that answers the run's question. */
    static Html answer(RunRecord run) {
        var asked = run.latest().asked();
        if (asked.isEmpty()) return Html.NONE;
        var question = asked.get().question();
        var hidden = Html.of("<input type=\"hidden\" name=\"question\" value=\"{}\">", question.id());
        if (question.kind() == Question.Kind.PERMISSION) {
            return Html.of(
                    """
                    <form class="answer" method="post" action="/runs/{}/answer" hx-post="/runs/{}/answer" hx-target="#toast">{}\
                    <button name="answer" value="allow" class="yes" aria-label="Allow {}: {}">Allow</button>\
                    <button name="answer" value="deny" class="no" aria-label="Deny {}">Deny</button></form>
                    """,
                    run.id(),
                    run.id(),
                    hidden,
                    RunRow.title(run),
                    RunRow.shortened(question.text(), 80),
                    RunRow.title(run));
        }
        return Html.of("""
                <form class="answer" method="post" action="/runs/{}/answer" hx-post="/runs/{}/answer" hx-target="#toast">{}\
                <input name="answer" aria-label="your answer" required autocomplete="off"><button class="yes">Answer</button></form>
                """, run.id(), run.id(), hidden);
    }

    private Html died() {
        var dead = fleet.dead();
        if (dead.isEmpty()) return Html.of("<div id=\"died\"></div>");
        var more = dead.size() > MOST_DEAD
                ? Html.of(
                        "<p><button type=\"button\" class=\"quiet-button\" data-show=\"died\">and {} more</button></p>",
                        dead.size() - MOST_DEAD)
                : Html.NONE;
        return Html.of(
                "<section id=\"died\" class=\"deaths\" aria-labelledby=\"died-head\"><h2 id=\"died-head\">Died in the last 24 hours</h2><ul>{}</ul>{}</section>",
                Html.all(dead.stream().limit(MOST_DEAD).map(this::death).toList()),
                more);
    }

    private Html death(RunRecord run) {
        var error = RunRow.lastError(run);
        var cost = RunRow.cost(service.usage(run));
        return Html.of(
                """
                <li data-dead="{}/{}"><span class="mark" aria-hidden="true">✗</span><div><span class="when">{}</span> \
                <a class="name" href="/runs/{}">{}</a> <span class="for">for {}</span> <span class="why">{}</span> \
                <span class="for">{}</span>{}<p>{}{}</p></div>\
                <button type="button" class="quiet-button" data-seen aria-label="hide {} here: I have seen it">seen</button></li>
                """,
                run.id(),
                run.latest().n(),
                RelativeTime.clock(run.latest().endedAt().orElse(fleet.now()), fleet.now()),
                run.id(),
                RunRow.title(run),
                run.owner().id(),
                RunRow.why(run),
                cost,
                error.isEmpty() ? Html.NONE : Html.of("<p class=\"last\">{}</p>", error),
                WorktreePanel.where(run),
                service.acceptsMessages(run)
                        ? Html.of(" · <a href=\"/runs/{}#message\">continue it</a>", run.id())
                        : Html.NONE,
                RunRow.title(run));
    }

    private Html queue() {
        int live = fleet.asking().size() + fleet.running().size();
        var owners = fleet.live().stream()
                .filter(run -> RunRow.rank(run) < 2)
                .collect(Collectors.groupingBy(RunRecord::owner, LinkedHashMap::new, Collectors.counting()));
        var caps = new ArrayList<Html>();
        caps.add(cap("this machine", live, fleet.caps().machine()));
        owners.forEach((owner, n) -> caps.add(cap(owner.id(), n, fleet.caps().perOwner())));
        var waiting = fleet.queued().reversed().stream()
                .limit(8)
                .map(run -> Html.of(
                        "<li>{} <span>{}, waits {}</span></li>",
                        RunRow.link(run),
                        runRow.state(run),
                        RelativeTime.since(run.latest().createdAt(), fleet.now())))
                .toList();
        return Html.of(
                "<section id=\"queue\" class=\"panel\"><h2>Slots</h2><ul class=\"caps\">{}</ul>{}</section>",
                Html.all(caps),
                waiting.isEmpty()
                        ? Html.of("<p class=\"dim\">Nothing waits for a slot.</p>")
                        : Html.of(
                                "<h3>{} waiting</h3><ol>{}</ol>", fleet.queued().size(), Html.all(waiting)));
    }

    private static Html cap(String name, long live, int most) {
        if (most == Integer.MAX_VALUE) return Html.of("<li><span>{}</span> <b>{}</b> live, no cap</li>", name, live);
        return Html.of(
                """
                <li><span>{}</span> <b>{} of {}</b><svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">\
                <rect class="off" width="100" height="4"/><rect class="{}" width="{}" height="4"/></svg></li>
                """, name, live, most, live >= most ? "full" : "on", Math.min(100, 100 * live / Math.max(1, most)));
    }
}
