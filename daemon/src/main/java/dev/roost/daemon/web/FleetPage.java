package dev.roost.daemon.web;

import dev.roost.house.House;
import dev.roost.ledger.Run;
import dev.roost.run.Question;
import dev.roost.run.Words;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The whole fleet on one page. What changes is in regions, each of which can be sent anew. */
final class FleetPage {

    private static final int MOST_DEAD = 6;

    private final House house;
    private final Fleet fleet;
    private final RunItem item;
    private final Groups groups;

    FleetPage(House house, Fleet fleet) {
        this.house = house;
        this.fleet = fleet;
        this.item = new RunItem(house, fleet.now());
        this.groups = new Groups(fleet, item);
    }

    Groups groups() {
        return groups;
    }

    RunItem item() {
        return item;
    }

    Html html(Assets assets, List<Run> first, String older, String position) {
        var regions = regions();
        return Frame.page(
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
                        groups.html(first),
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

    /** By their ids. */
    Map<String, Html> regions() {
        var regions = new LinkedHashMap<String, Html>();
        regions.put("tiles", tiles());
        regions.put("away", new AwayBanner(fleet).html());
        regions.put("needs", needs());
        regions.put("died", died());
        regions.put(
                "spend", Html.of("<section id=\"spend\" class=\"panel\">{}</section>", new SpendPlot(fleet).html()));
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
                        Words.dollars(fleet.costToday()),
                        Words.count(fleet.tokensToday())));
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

    private Html asking(Run run) {
        return Html.of(
                """
                <article class="ask"><p><a class="name" href="/runs/{}">{}</a> <span class="for">for {}</span> \
                <span class="waits">waits {}</span> <span class="where">in <code>{}</code>{}</span></p><blockquote>{}</blockquote>{}</article>
                """,
                run.id(),
                RunItem.title(run),
                run.owner().id(),
                item.age(run),
                run.cwd(),
                run.work().isPresent() ? ", a worktree of its own" : ", not isolated",
                RunItem.question(run),
                answer(run));
    }

    /** The ways to answer what the run asks. */
    static Html answer(Run run) {
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
                    RunItem.title(run),
                    RunItem.shortened(question.text(), 80),
                    RunItem.title(run));
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

    private Html death(Run run) {
        var error = RunItem.lastError(run);
        var cost = RunItem.cost(house.usage(run));
        return Html.of(
                """
                <li data-dead="{}/{}"><span class="mark" aria-hidden="true">✗</span><div><span class="when">{}</span> \
                <a class="name" href="/runs/{}">{}</a> <span class="for">for {}</span> <span class="why">{}</span> \
                <span class="for">{}</span>{}<p>{}{}</p></div>\
                <button type="button" class="quiet-button" data-seen aria-label="hide {} here: I have seen it">seen</button></li>
                """,
                run.id(),
                run.latest().n(),
                Ages.clock(run.latest().endedAt().orElse(fleet.now()), fleet.now()),
                run.id(),
                RunItem.title(run),
                run.owner().id(),
                RunItem.why(run),
                cost,
                error.isEmpty() ? Html.NONE : Html.of("<p class=\"last\">{}</p>", error),
                WorkBox.where(run),
                house.listens(run) ? Html.of(" · <a href=\"/runs/{}#message\">continue it</a>", run.id()) : Html.NONE,
                RunItem.title(run));
    }

    private Html queue() {
        int live = fleet.asking().size() + fleet.running().size();
        var owners = fleet.live().stream()
                .filter(run -> RunItem.rank(run) < 2)
                .collect(Collectors.groupingBy(Run::owner, LinkedHashMap::new, Collectors.counting()));
        var caps = new ArrayList<Html>();
        caps.add(cap("this machine", live, fleet.caps().machine()));
        owners.forEach((owner, n) -> caps.add(cap(owner.id(), n, fleet.caps().perOwner())));
        var waiting = fleet.queued().reversed().stream()
                .limit(8)
                .map(run -> Html.of(
                        "<li>{} <span>{}, waits {}</span></li>",
                        RunItem.link(run),
                        item.state(run),
                        Ages.since(run.latest().createdAt(), fleet.now())))
                .toList();
        return Html.of(
                "<section id=\"queue\" class=\"panel\"><h2>Slots</h2><ul class=\"caps\">{}</ul>{}</section>",
                Html.all(caps),
                waiting.isEmpty()
                        ? Html.of("<p class=\"dim\">Nothing waits for a slot.</p>")
                        : Html.of(
                                "<h3>{} waiting</h3><ol>{}</ol>", fleet.queued().size(), Html.all(waiting)));
    }

    private static Html cap(String who, long live, int most) {
        if (most == Integer.MAX_VALUE) return Html.of("<li><span>{}</span> <b>{}</b> live, no cap</li>", who, live);
        return Html.of(
                """
                <li><span>{}</span> <b>{} of {}</b><svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">\
                <rect class="off" width="100" height="4"/><rect class="{}" width="{}" height="4"/></svg></li>
                """, who, live, most, live >= most ? "full" : "on", Math.min(100, 100 * live / Math.max(1, most)));
    }
}
