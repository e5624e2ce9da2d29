package dev.roost.pauses;

import dev.roost.base.TextFormat;
import dev.roost.engine.RuntimeContext;
import dev.roost.home.Heartbeat;
import dev.roost.ledger.record.PauseWindow;
import dev.roost.ledger.record.RunQuery;
import dev.roost.model.EventKind;
import dev.roost.os.Processes;
import dev.roost.pauses.PauseDetector.ClockObservation;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Notices when nobody looked after the runs, has their owners told, and makes ready for a pause that is announced. */
public final class PauseTracker {

    private static final System.Logger LOG = System.getLogger(PauseTracker.class.getName());
    private static final Duration A_BEAT = Duration.ofSeconds(1);

    private final RuntimeContext context;
    private final Heartbeat heart;
    private final PauseDetector detector;
    private final Function<Duration, List<PauseWindow.PauseRemark>> checkpointAll;
    private final Optional<Instant> lastEvent;
    private boolean started;
    private long beatAt;

    /** {@code keepAll} makes checkpoints of all live worktrees in a given time. To be made before anything is settled. */
    public PauseTracker(RuntimeContext context, Function<Duration, List<PauseWindow.PauseRemark>> keepAll) {
        this.context = context;
        this.heart = new Heartbeat(context.home());
        this.detector = new PauseDetector(context.clock());
        this.checkpointAll = keepAll;
        this.lastEvent = context.ledger().pauses().lastEvent();
    }

    /** To be called when what is live has been settled, and before anything new is started. */
    public synchronized void check() {
        try {
            if (!started) checkSinceLastDaemon();
            var seen = detector.detect();
            switch (seen) {
                case ClockObservation.NoPause _ -> {}
                case ClockObservation.SystemSleep(var from, var to) -> recordPause(PauseWindow.Kind.SLEEP, from, to);
                case ClockObservation.ClockStep(var by) -> recordClockStep(by);
            }
            long now = context.clock().monotonicNanos();
            if (seen instanceof ClockObservation.NoPause && now - beatAt < A_BEAT.toNanos()) return;
            heart.beat(context.clock().now());
            beatAt = now;
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "whether there was a pause could not be found out", e);
        }
    }

    /** What a daemon before us left: the time until now is a pause, if it was long or the machine restarted in it. */
    private void checkSinceLastDaemon() throws IOException {
        var now = context.clock().now();
        var last = heart.last();
        if (last.isPresent()) {
            boolean rebooted = !last.get().bootId().equals(Processes.bootId());
            var from = lastSign(last.get().at(), now);
            if (rebooted || isPause(from, now))
                recordPause(rebooted ? PauseWindow.Kind.REBOOT : PauseWindow.Kind.DOWNTIME, from, now);
        }
        heart.begin(now);
        started = true;
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

    private void recordPause(PauseWindow.Kind kind, Instant from, Instant to) {
        // a clock that was set back meanwhile must not make an end before a beginning
        var end = to.isBefore(from) ? from : to;
        var pause = context.ledger().pauses().recordPause(kind, from, end, true);
        if (pause.isPresent() && kind == PauseWindow.Kind.SLEEP) runResumeHook(pause.get());
    }

    private void runResumeHook(long pause) {
        var hook = new PauseHook("on_resume", context.config().pausePolicy().onResume());
        Thread.ofVirtual().start(() -> {
            try {
                hook.run(context.home().root(), context.config().pausePolicy().deadline())
                        .ifPresent(remark -> context.ledger().pauses().remark(pause, remark));
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.WARNING, "that on_resume was run is not recorded", e);
            }
        });
    }

    private void recordClockStep(Duration exactly) {
        var by = Duration.ofSeconds(Math.round(exactly.toMillis() / 1000.0));
        String text = "the wall clock was set %s %s"
                .formatted(by.isNegative() ? "back by" : "forward by", TextFormat.span(by.abs()));
        LOG.log(System.Logger.Level.INFO, text);
        for (var run : context.ledger().runs().list(RunQuery.of(RunQuery.StatusFilter.LIVE)))
            if (context.cluster().owns(run))
                context.ledger().note(run.id(), run.latest().n(), EventKind.CLOCK_STEP, text);
    }

    /** Nobody looks from now on. */
    public synchronized void recordShutdown() {
        try {
            if (started) heart.beat(context.clock().now());
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "when this daemon left is not recorded", e);
        }
    }

    /** Makes ready for a pause: checkpoints first, then the operator's hook, all of it within the deadline. */
    public PauseWindow announce(Duration deadline) {
        var pauses = context.ledger().pauses();
        long id = pauses.announce();
        var policy = context.config().pausePolicy();
        long began = context.clock().monotonicNanos();
        checkpointAll.apply(deadline).forEach(remark -> pauses.remark(id, remark));
        var left = deadline.minusNanos(context.clock().monotonicNanos() - began);
        new PauseHook("on_pause", policy.onPause())
                .run(context.home().root(), left)
                .ifPresent(remark -> pauses.remark(id, remark));
        return pauses.find(id).orElseThrow();
    }

    /** The pause is over: what was announced, or what the clocks show. Empty if there was none. */
    public Optional<PauseWindow> resume() {
        var open = context.ledger().pauses().announced();
        check(); // a sleep makes what was announced its own
        if (open.isEmpty()) return Optional.empty();
        var now = context.clock().now();
        long id = open.get().id();
        if (context.ledger().pauses().announced().isPresent()) {
            var from = open.get().beganAt();
            context.ledger()
                    .pauses()
                    .recordPause(PauseWindow.Kind.PLANNED, from, now.isBefore(from) ? from : now, isPause(from, now));
            runResumeHook(id);
        }
        return context.ledger().pauses().find(id);
    }
}
