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
import dev.roost.model.Status;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Streams the changed pieces of an open page. A reconnecting page sends its last position. If that is from another daemon or too
 * far behind, the page is told to reload everything.
 */
final class LiveUpdates {

    static final Duration SILENCE = SseStream.SILENCE;
    private static final Duration MIN_INTERVAL = Duration.ofMillis(200);
    private static final Duration DAY = Duration.ofDays(1);
    private static final long FAR_BEHIND = 1 << 20;
    static final int TAIL = 64 << 10;

    private final RoostService service;
    private final Caller caller;
    private final Clock clock;

    private final ReentrantLock rendering = new ReentrantLock();
    private Optional<RenderedFleet> latest = Optional.empty();

    LiveUpdates(RoostService service, Caller caller, Clock clock) {
        this.service = service;
        this.caller = caller;
        this.clock = clock;
    }

    /** The position of a page that is rendered after this call. */
    String position() {
        return service.changes().since(Optional.empty(), Duration.ZERO, caller).position();
    }

    void fleet(SseStream stream, Optional<String> position) throws IOException, InterruptedException {
        try (var changedRuns = service.changes().ofAll()) {
            var missed = service.changes().since(position, Duration.ZERO, caller);
            if (missed.again()) stream.event("again", missed.position(), "all of it");
            var sentRegions = new SentRegions(new HashMap<>(), new LinkedHashSet<>());
            var currentPosition = missed.position();
            Set<RunId> changed = new LinkedHashSet<>();
            missed.runs().forEach(run -> changed.add(run.id()));
            missed.removed().forEach(id -> changed.add(new RunId(id)));
            while (true) {
                long began = clock.monotonicNanos();
                if (!sendChanges(stream, currentPosition, changed, sentRegions)) beat(stream);
                pause(began);
                changed.clear();
                changed.addAll(changedRuns.await(SILENCE));
                currentPosition = position(); // all changes before this position have reached changedRuns
                changed.addAll(changedRuns.await(Duration.ZERO));
            }
        }
    }

    /** The fleet as of one position, which all open pages are sent. */
    private record RenderedFleet(
            String position,
            long at,
            FleetPage page,
            Set<Owner> owners,
            Map<String, Html> regions,
            Map<RunRecord, Html> rows) {

        /** The row of a running run shows its output, which grows without a new position. */
        Html row(RunRecord run) {
            if (run.status() == Status.RUNNING) return page.runRow().html(run);
            return rows.computeIfAbsent(run, page.runRow()::html);
        }
    }

    /** Renders the fleet once for all pages that are sent the same position at about the same time. */
    private RenderedFleet rendered(String position) {
        rendering.lock();
        try {
            long now = clock.monotonicNanos();
            if (latest.filter(known -> known.position.equals(position) && now - known.at < MIN_INTERVAL.toNanos())
                    .isEmpty()) {
                var fleet = FleetSnapshot.of(service, caller, clock.now());
                var page = new FleetPage(service, fleet);
                latest = Optional.of(new RenderedFleet(
                        position,
                        now,
                        page,
                        new LinkedHashSet<>(fleet.owners()),
                        page.regions(),
                        new ConcurrentHashMap<>()));
            }
            return latest.orElseThrow();
        } finally {
            rendering.unlock();
        }
    }

    /** The regions that a page was sent, and the owners whose groups it may show. */
    private record SentRegions(Map<String, Html> sent, Set<Owner> owners) {}

    /** Sends the changes; false if there are none. */
    private boolean sendChanges(SseStream stream, String currentPosition, Set<RunId> changed, SentRegions sentRegions)
            throws IOException {
        var fleet = rendered(currentPosition);
        var runs = new ArrayList<RunRecord>();
        var gone = new ArrayList<String>();
        for (var id : changed) service.run(id).ifPresentOrElse(runs::add, () -> gone.add(id.text()));
        var regions = new LinkedHashMap<>(fleet.regions());
        runs.forEach(run -> sentRegions.owners.add(run.owner()));
        sentRegions.owners.addAll(fleet.owners());
        for (var owner : sentRegions.owners)
            regions.put(OwnerGroups.id(owner) + "-head", fleet.page().groups().head(owner));
        if (!gone.isEmpty()) stream.event("gone", currentPosition, String.join(" ", gone));
        if (!runs.isEmpty())
            stream.event(
                    "rows",
                    currentPosition,
                    Html.all(runs.stream().map(fleet::row).toList()).toString());
        var changedRegions = changedRegions(regions, sentRegions.sent);
        if (!changedRegions.isEmpty())
            stream.event("regions", currentPosition, Html.all(changedRegions).toString());
        return !changedRegions.isEmpty() || !runs.isEmpty() || !gone.isEmpty();
    }

    /** The regions that differ from those that were sent. */
    private static List<Html> changedRegions(Map<String, Html> regions, Map<String, Html> sent) {
        var changedRegions = new ArrayList<Html>();
        regions.forEach((id, html) -> {
            if (!html.equals(sent.put(id, html))) changedRegions.add(html);
        });
        return changedRegions;
    }

    /** Streams one run: its output from {@code cursor} on, and the changed pieces of its page. */
    void run(SseStream stream, RunRecord first, long cursor) throws IOException, InterruptedException {
        try (var changedRuns = service.changes().of(first.id())) {
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
                var changedRegions = changedRegions(regions, sent);
                if (!changedRegions.isEmpty())
                    stream.event(
                            "regions",
                            Long.toString(at),
                            Html.all(changedRegions).toString());
                pause(began);
                while (changedRuns.await(SILENCE).isEmpty()) beat(stream);
            }
        }
    }

    /** The state of the run's worktree at the last query of git. */
    private record WorktreeSnapshot(Optional<WorktreeRecord> work, long at) {
        boolean isStale(RunRecord run, long now) {
            return !run.work().equals(work) || (run.work().isPresent() && now - at > SILENCE.toNanos());
        }
    }

    /** Tells the page that the daemon is alive, and the daemon's time. */
    private void beat(SseStream stream) throws IOException {
        stream.event("beat", Long.toString(clock.now().toEpochMilli()));
    }

    /** Waits, so that changes are sent together, and expensive updates are sent less often. */
    private void pause(long began) throws InterruptedException {
        long spent = clock.monotonicNanos() - began;
        LockSupport.parkNanos(Math.max(MIN_INTERVAL.toNanos(), 4 * spent) - spent);
        if (Thread.interrupted()) throw new InterruptedException();
    }

    /** Sends the output up to its present end. If the page is far behind, only the last part, since no page shows more. */
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

    /** The runs of the first page: the newest, and all that are live or died within a day. */
    List<RunRecord> first(int most) {
        var runs = new ArrayList<>(service.list(
                new RunQuery(RunQuery.StatusFilter.ALL, Optional.empty(), most, Optional.empty()), caller));
        var known = new HashSet<RunId>();
        runs.forEach(run -> known.add(run.id()));
        for (var run : service.since(clock.now().minus(DAY), caller))
            if ((!run.status().ended() || FleetSnapshot.died(run)) && known.add(run.id())) runs.add(run);
        return runs;
    }
}
