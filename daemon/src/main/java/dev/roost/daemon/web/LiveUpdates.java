package dev.roost.daemon.web;

import dev.roost.base.Clock;
import dev.roost.base.TextFormat;
import dev.roost.daemon.http.SseStream;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.Caller;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import dev.roost.output.OutputPage;
import dev.roost.service.RoostService;
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
final class LiveUpdates {

    static final Duration SILENCE = SseStream.SILENCE;
    private static final Duration BETWEEN = Duration.ofMillis(200);
    private static final Duration A_DAY = Duration.ofDays(1);
    private static final long FAR_BEHIND = 1 << 20;
    static final int TAIL = 64 << 10;

    private final RoostService service;
    private final Caller caller;
    private final Clock clock;

    LiveUpdates(RoostService service, Caller caller, Clock clock) {
        this.service = service;
        this.caller = caller;
        this.clock = clock;
    }

    /** Where a page is that is rendered from now on. */
    String position() {
        return service.changeFeeds()
                .changes(Optional.empty(), Duration.ZERO, caller)
                .position();
    }

    void fleet(SseStream stream, Optional<String> position) throws IOException, InterruptedException {
        try (var changedRuns = service.changeFeeds().news()) {
            var missed = service.changeFeeds().changes(position, Duration.ZERO, caller);
            if (missed.again()) stream.event("again", missed.position(), "all of it");
            var seen = new SentRegions(new HashMap<>(), new LinkedHashSet<>());
            var here = missed.position();
            Set<RunId> changed = new LinkedHashSet<>();
            missed.runs().forEach(run -> changed.add(run.id()));
            missed.removed().forEach(id -> changed.add(new RunId(id)));
            while (true) {
                long began = clock.monotonicNanos();
                if (!sendChanges(stream, here, changed, seen)) beat(stream);
                pause(began);
                changed.clear();
                changed.addAll(changedRuns.await(SILENCE));
                here = position(); // whatever is behind it is among the news by now
                changed.addAll(changedRuns.await(Duration.ZERO));
            }
        }
    }

    /** What a page was sent: its regions, and whose groups may be on it. */
    private record SentRegions(Map<String, Html> sent, Set<Owner> owners) {}

    /** False if there was nothing to tell. */
    private boolean sendChanges(SseStream stream, String here, Set<RunId> changed, SentRegions seen)
            throws IOException {
        var fleet = FleetSnapshot.of(service, caller, clock.now());
        var page = new FleetPage(service, fleet);
        var runs = new ArrayList<RunRecord>();
        var gone = new ArrayList<String>();
        for (var id : changed) service.run(id).ifPresentOrElse(runs::add, () -> gone.add(id.text()));
        var regions = new LinkedHashMap<>(page.regions());
        runs.forEach(run -> seen.owners.add(run.owner()));
        seen.owners.addAll(fleet.owners());
        for (var owner : seen.owners)
            regions.put(OwnerGroups.id(owner) + "-head", page.groups().head(owner));
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
    void run(SseStream stream, RunRecord first, long cursor) throws IOException, InterruptedException {
        try (var changedRuns = service.changeFeeds().news(first)) {
            var sent = new HashMap<String, Html>();
            var ansi = new Ansi();
            var work = new WorktreeSnapshot(first.work(), clock.monotonicNanos());
            long at = cursor;
            while (true) {
                long began = clock.monotonicNanos();
                var now = service.run(first.id());
                if (now.isEmpty()) {
                    stream.event("gone", Long.toString(at), first.id().text());
                    return;
                }
                at = sendOutput(stream, now.get(), at, ansi);
                var page = new RunPage(service, caller, now.get(), clock.now());
                var regions = new LinkedHashMap<>(page.regions());
                if (work.isStale(now.get(), began)) {
                    regions.put("work", page.work());
                    work = new WorktreeSnapshot(now.get().work(), began);
                }
                var fresh = fresh(regions, sent);
                if (!fresh.isEmpty())
                    stream.event("regions", Long.toString(at), Html.all(fresh).toString());
                pause(began);
                while (changedRuns.await(SILENCE).isEmpty()) beat(stream);
            }
        }
    }

    /** What was known of the run's worktree when git was last asked. */
    private record WorktreeSnapshot(Optional<WorktreeRecord> work, long at) {
        boolean isStale(RunRecord run, long now) {
            return !run.work().equals(work) || (run.work().isPresent() && now - at > SILENCE.toNanos());
        }
    }

    /** The page knows by it that somebody is there, and what time it is here. */
    private void beat(SseStream stream) throws IOException {
        stream.event("beat", Long.toString(clock.now().toEpochMilli()));
    }

    /** Many changes are told at once, and who is costly to tell is told less often. */
    private void pause(long began) throws InterruptedException {
        long spent = clock.monotonicNanos() - began;
        LockSupport.parkNanos(Math.max(BETWEEN.toNanos(), 4 * spent) - spent);
        if (Thread.interrupted()) throw new InterruptedException();
    }

    /** Up to where the output is now; who is far behind is told its end only, for no page shows more of it. */
    private long sendOutput(SseStream stream, RunRecord run, long from, Ansi ansi) throws IOException {
        long end = service.outputLength(run);
        long at = from;
        if (end - at > FAR_BEHIND) {
            var left = Html.of(
                    "<span class=\"dim\">… {} bytes are left out here …\n</span>", TextFormat.count(end - TAIL - at));
            at = end - TAIL;
            stream.event("skipped", Long.toString(at), left.toString());
        }
        while (true) {
            var output = service.output(
                    run, new OutputPage.Request(Optional.empty(), at, OutputPage.WaitMode.NOW, Duration.ZERO));
            if (output.text().isEmpty()) return at;
            at = output.nextCursor();
            stream.event("output", Long.toString(at), ansi.render(output.text()).toString());
            if (!output.more() || at >= end) return at;
        }
    }

    /** What a list begins with: the newest runs, and all that are live or died within a day. */
    List<RunRecord> first(int most) {
        var runs = new ArrayList<>(service.list(
                new RunQuery(RunQuery.StatusFilter.ALL, Optional.empty(), most, Optional.empty()), caller));
        var known = new HashSet<RunId>();
        runs.forEach(run -> known.add(run.id()));
        for (var run : service.since(clock.now().minus(A_DAY), caller))
            if ((!run.status().ended() || FleetSnapshot.died(run)) && known.add(run.id())) runs.add(run);
        return runs;
    }
}
