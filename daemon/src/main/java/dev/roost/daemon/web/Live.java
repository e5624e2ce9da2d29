package dev.roost.daemon.web;

import dev.roost.daemon.http.EventStream;
import dev.roost.house.Caller;
import dev.roost.house.House;
import dev.roost.house.Output;
import dev.roost.ledger.Query;
import dev.roost.ledger.Run;
import dev.roost.ledger.Work;
import dev.roost.run.Clock;
import dev.roost.run.Owner;
import dev.roost.run.RunId;
import dev.roost.run.Words;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Tells an open page what changed: pieces of it, rendered anew. A page that comes back says when it last heard something; from
 * another daemon, or after very much, it is told to look at everything again.
 */
final class Live {

    static final Duration SILENCE = EventStream.SILENCE;
    private static final Duration BETWEEN = Duration.ofMillis(200);
    private static final Duration A_DAY = Duration.ofDays(1);
    private static final long FAR_BEHIND = 1 << 20;
    static final int TAIL = 64 << 10;

    private final House house;
    private final Caller caller;
    private final Clock clock;

    Live(House house, Caller caller, Clock clock) {
        this.house = house;
        this.caller = caller;
        this.clock = clock;
    }

    /** Where a page is that is rendered from now on. */
    String position() {
        return house.watching().changes(Optional.empty(), Duration.ZERO, caller).position();
    }

    void fleet(EventStream stream, Optional<String> position) throws IOException, InterruptedException {
        try (var news = house.watching().news()) {
            var missed = house.watching().changes(position, Duration.ZERO, caller);
            if (missed.again()) stream.event("again", missed.position(), "all of it");
            var seen = new Seen(new HashMap<>(), new LinkedHashSet<>());
            var here = missed.position();
            Set<RunId> changed = new LinkedHashSet<>();
            missed.runs().forEach(run -> changed.add(run.id()));
            missed.removed().forEach(id -> changed.add(new RunId(id)));
            while (true) {
                long began = clock.monotonicNanos();
                if (!tell(stream, here, changed, seen)) beat(stream);
                pause(began);
                changed.clear();
                changed.addAll(news.await(SILENCE));
                here = position(); // whatever is behind it is among the news by now
                changed.addAll(news.await(Duration.ZERO));
            }
        }
    }

    /** What a page was sent: its regions, and whose groups may be on it. */
    private record Seen(Map<String, Html> sent, Set<Owner> owners) {}

    /** False if there was nothing to tell. */
    private boolean tell(EventStream stream, String here, Set<RunId> changed, Seen seen) throws IOException {
        var fleet = Fleet.of(house, caller, clock.now());
        var page = new FleetPage(house, fleet);
        var runs = new ArrayList<Run>();
        var gone = new ArrayList<String>();
        for (var id : changed) house.run(id).ifPresentOrElse(runs::add, () -> gone.add(id.text()));
        var regions = new LinkedHashMap<>(page.regions());
        runs.forEach(run -> seen.owners.add(run.owner()));
        seen.owners.addAll(fleet.owners());
        for (var owner : seen.owners)
            regions.put(Groups.id(owner) + "-head", page.groups().head(owner));
        if (!gone.isEmpty()) stream.event("gone", here, String.join(" ", gone));
        if (!runs.isEmpty())
            stream.event(
                    "rows",
                    here,
                    Html.all(runs.stream().map(page.item()::html).toList()).toString());
        var fresh = fresh(regions, seen.sent);
        if (!fresh.isEmpty()) stream.event("regions", here, Html.all(fresh).toString());
        return !fresh.isEmpty() || !runs.isEmpty() || !gone.isEmpty();
    }

    /** Those that are other than they were when they were sent. */
    private static List<Html> fresh(Map<String, Html> regions, Map<String, Html> sent) {
        var fresh = new ArrayList<Html>();
        regions.forEach((id, html) -> {
            if (!html.equals(sent.put(id, html))) fresh.add(html);
        });
        return fresh;
    }

    /** One run: its output from {@code cursor} on, and the pieces of its page that changed. */
    void run(EventStream stream, Run first, long cursor) throws IOException, InterruptedException {
        try (var news = house.watching().news(first)) {
            var sent = new HashMap<String, Html>();
            var ansi = new Ansi();
            var work = new WorkSeen(first.work(), clock.monotonicNanos());
            long at = cursor;
            while (true) {
                long began = clock.monotonicNanos();
                var now = house.run(first.id());
                if (now.isEmpty()) {
                    stream.event("gone", Long.toString(at), first.id().text());
                    return;
                }
                at = said(stream, now.get(), at, ansi);
                var page = new RunPage(house, caller, now.get(), clock.now());
                var regions = new LinkedHashMap<>(page.regions());
                if (work.isStale(now.get(), began)) {
                    regions.put("work", page.work());
                    work = new WorkSeen(now.get().work(), began);
                }
                var fresh = fresh(regions, sent);
                if (!fresh.isEmpty())
                    stream.event("regions", Long.toString(at), Html.all(fresh).toString());
                pause(began);
                while (news.await(SILENCE).isEmpty()) beat(stream);
            }
        }
    }

    /** What was known of the run's worktree when git was last asked. */
    private record WorkSeen(Optional<Work> work, long at) {
        boolean isStale(Run run, long now) {
            return !run.work().equals(work) || (run.work().isPresent() && now - at > SILENCE.toNanos());
        }
    }

    /** The page knows by it that somebody is there, and what time it is here. */
    private void beat(EventStream stream) throws IOException {
        stream.event("beat", Long.toString(clock.now().toEpochMilli()));
    }

    /** Many changes are told at once, and who is costly to tell is told less often. */
    private void pause(long began) throws InterruptedException {
        long spent = clock.monotonicNanos() - began;
        LockSupport.parkNanos(Math.max(BETWEEN.toNanos(), 4 * spent) - spent);
        if (Thread.interrupted()) throw new InterruptedException();
    }

    /** Up to where the output is now; who is far behind is told its end only, for no page shows more of it. */
    private long said(EventStream stream, Run run, long from, Ansi ansi) throws IOException {
        long end = house.outputLength(run);
        long at = from;
        if (end - at > FAR_BEHIND) {
            var left = Html.of(
                    "<span class=\"dim\">… {} bytes are left out here …\n</span>", Words.count(end - TAIL - at));
            at = end - TAIL;
            stream.event("skipped", Long.toString(at), left.toString());
        }
        while (true) {
            var output = house.output(run, new Output.Request(Optional.empty(), at, Output.Until.NOW, Duration.ZERO));
            if (output.text().isEmpty()) return at;
            at = output.nextCursor();
            stream.event("output", Long.toString(at), ansi.render(output.text()).toString());
            if (!output.more() || at >= end) return at;
        }
    }

    /** What a list begins with: the newest runs, and all that are live or died within a day. */
    List<Run> first(int most) {
        var runs = new ArrayList<>(
                house.list(new Query(Query.Which.ALL, Optional.empty(), most, Optional.empty()), caller));
        var known = new HashSet<RunId>();
        runs.forEach(run -> known.add(run.id()));
        for (var run : house.since(clock.now().minus(A_DAY), caller))
            if ((!run.status().ended() || Fleet.died(run)) && known.add(run.id())) runs.add(run);
        return runs;
    }
}
