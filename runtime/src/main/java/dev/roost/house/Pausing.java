package dev.roost.house;

import dev.roost.ledger.Pause;
import dev.roost.ledger.Query;
import dev.roost.pauses.PauseDetector;
import dev.roost.pauses.PauseDetector.Seen;
import dev.roost.pauses.PauseHook;
import dev.roost.run.EventKind;
import dev.roost.run.Words;
import dev.roost.supervisor.Heartbeat;
import dev.roost.supervisor.Processes;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Notices when nobody looked after the runs, has their owners told, and makes ready for a pause that is announced. */
final class Pausing {

    private static final System.Logger LOG = System.getLogger(Pausing.class.getName());
    private static final Duration A_BEAT = Duration.ofSeconds(1);

    private final Rooms rooms;
    private final Heartbeat heart;
    private final PauseDetector detector;
    private final Function<Duration, List<Pause.Remark>> keepAll;
    private final Optional<Instant> lastEvent;
    private boolean begun;
    private long beatAt;

    /** {@code keepAll} makes checkpoints of all live worktrees in a given time. To be made before anything is settled. */
    Pausing(Rooms rooms, Function<Duration, List<Pause.Remark>> keepAll) {
        this.rooms = rooms;
        this.heart = new Heartbeat(rooms.home());
        this.detector = new PauseDetector(rooms.clock());
        this.keepAll = keepAll;
        this.lastEvent = rooms.ledger().pauses().lastEvent();
    }

    /** To be called when what is live has been settled, and before anything new is started. */
    synchronized void look() {
        try {
            if (!begun) begin();
            var seen = detector.look();
            switch (seen) {
                case Seen.Nothing _ -> {}
                case Seen.Slept(var from, var to) -> over(Pause.Kind.SLEEP, from, to);
                case Seen.ClockStep(var by) -> stepped(by);
            }
            long now = rooms.clock().monotonicNanos();
            if (seen instanceof Seen.Nothing && now - beatAt < A_BEAT.toNanos()) return;
            heart.beat(rooms.clock().now());
            beatAt = now;
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "whether there was a pause could not be found out", e);
        }
    }

    /** What a daemon before us left: the time until now is a pause, if it was long or the machine restarted in it. */
    private void begin() throws IOException {
        var now = rooms.clock().now();
        var last = heart.last();
        if (last.isPresent()) {
            boolean rebooted = !last.get().bootId().equals(Processes.bootId());
            var from = lastSign(last.get().at(), now);
            if (rebooted || isPause(from, now)) over(rebooted ? Pause.Kind.REBOOT : Pause.Kind.DOWNTIME, from, now);
        }
        heart.begin(now);
        begun = true;
    }

    /** A daemon that was killed had accepted runs since its last beat, and they were live when the pause began, too. */
    private Instant lastSign(Instant beat, Instant now) {
        return lastEvent
                .filter(event -> event.isAfter(beat) && !event.isAfter(now))
                .orElse(beat);
    }

    private static boolean isPause(Instant from, Instant to) {
        return Duration.between(from, to).compareTo(PauseDetector.SHORTEST) >= 0;
    }

    private void over(Pause.Kind kind, Instant from, Instant to) {
        // a clock that was set back meanwhile must not make an end before a beginning
        var end = to.isBefore(from) ? from : to;
        var pause = rooms.ledger().pauses().over(kind, from, end, true);
        if (pause.isPresent() && kind == Pause.Kind.SLEEP) awake(pause.get());
    }

    private void awake(long pause) {
        var hook = new PauseHook("on_resume", rooms.config().pausing().onResume());
        Thread.ofVirtual().start(() -> {
            try {
                hook.run(rooms.home().root(), rooms.config().pausing().deadline())
                        .ifPresent(remark -> rooms.ledger().pauses().remark(pause, remark));
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.WARNING, "that on_resume was run is not recorded", e);
            }
        });
    }

    private void stepped(Duration exactly) {
        var by = Duration.ofSeconds(Math.round(exactly.toMillis() / 1000.0));
        String text = "the wall clock was set %s %s"
                .formatted(by.isNegative() ? "back by" : "forward by", Words.span(by.abs()));
        LOG.log(System.Logger.Level.INFO, text);
        for (var run : rooms.ledger().runs().list(Query.of(Query.Which.LIVE)))
            if (rooms.peers().isOurs(run))
                rooms.ledger().note(run.id(), run.latest().n(), EventKind.CLOCK_STEP, text);
    }

    /** Nobody looks from now on. */
    synchronized void leave() {
        try {
            if (begun) heart.beat(rooms.clock().now());
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "when this daemon left is not recorded", e);
        }
    }

    /** Makes ready for a pause: checkpoints first, then the operator's hook, all of it within the deadline. */
    Pause announce(Duration deadline) {
        var pauses = rooms.ledger().pauses();
        long id = pauses.announce();
        var policy = rooms.config().pausing();
        long began = rooms.clock().monotonicNanos();
        keepAll.apply(deadline).forEach(remark -> pauses.remark(id, remark));
        var left = deadline.minusNanos(rooms.clock().monotonicNanos() - began);
        new PauseHook("on_pause", policy.onPause())
                .run(rooms.home().root(), left)
                .ifPresent(remark -> pauses.remark(id, remark));
        return pauses.find(id).orElseThrow();
    }

    /** The pause is over: what was announced, or what the clocks show. Empty if there was none. */
    Optional<Pause> resume() {
        var open = rooms.ledger().pauses().announced();
        look(); // a sleep makes what was announced its own
        if (open.isEmpty()) return Optional.empty();
        var now = rooms.clock().now();
        long id = open.get().id();
        if (rooms.ledger().pauses().announced().isPresent()) {
            var from = open.get().beganAt();
            rooms.ledger().pauses().over(Pause.Kind.PLANNED, from, now.isBefore(from) ? from : now, isPause(from, now));
            awake(id);
        }
        return rooms.ledger().pauses().find(id);
    }
}
