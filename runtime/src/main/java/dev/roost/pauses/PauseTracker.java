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

/** Detects pauses in the supervision of runs, reports them to the owners, and prepares for announced pauses. */
public final class PauseTracker {

    private static final System.Logger LOG = System.getLogger(PauseTracker.class.getName());
    private static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(1);

    private final RuntimeContext context;
    private final Heartbeat heart;
    private final PauseDetector detector;
    private final Function<Duration, List<PauseWindow.PauseRemark>> checkpointAll;
    private final Optional<Instant> lastEvent;
    private boolean started;
    private long beatAt;

    /** {@code checkpointAll} makes checkpoints of all live worktrees within a time. Created before recovery starts. */
    public PauseTracker(RuntimeContext context, Function<Duration, List<PauseWindow.PauseRemark>> checkpointAll) {
        this.context = context;
        this.heart = new Heartbeat(context.home());
        this.detector = new PauseDetector(context.clock());
        this.checkpointAll = checkpointAll;
        this.lastEvent = context.ledger().pauses().lastEvent();
    }

    /** Checks for a pause. The first call comes after recovery and before any run is started. */
    public synchronized void check() {
        try {
            if (!started) checkSinceLastDaemon();
            var observation = detector.detect();
            switch (observation) {
                case ClockObservation.NoPause _ -> {}
                case ClockObservation.SystemSleep(var from, var to) -> recordPause(PauseWindow.Kind.SLEEP, from, to);
                case ClockObservation.ClockStep(var by) -> recordClockStep(by);
            }
            long now = context.clock().monotonicNanos();
            if (observation instanceof ClockObservation.NoPause && now - beatAt < HEARTBEAT_INTERVAL.toNanos()) return;
            heart.beat(context.clock().now());
            beatAt = now;
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "the check for a pause failed", e);
        }
    }

    /** Records the time since the last daemon as a pause, if it was long or the machine restarted. */
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

    /** The later of the last heartbeat and the last event: a killed daemon may have accepted runs after its last heartbeat. */
    private Instant lastSign(Instant beat, Instant now) {
        return lastEvent
                .filter(event -> event.isAfter(beat) && !event.isAfter(now))
                .orElse(beat);
    }

    private static boolean isPause(Instant from, Instant to) {
        return Duration.between(from, to).compareTo(PauseDetector.SHORTEST) >= 0;
    }

    private void recordPause(PauseWindow.Kind kind, Instant from, Instant to) {
        // if the clock was set back meanwhile, the end must not precede the start
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
                LOG.log(System.Logger.Level.WARNING, "the result of on_resume could not be recorded", e);
            }
        });
    }

    private void recordClockStep(Duration exactly) {
        var by = Duration.ofSeconds(Math.round(exactly.toMillis() / 1000.0));
        String text = "the wall clock was set %s %s"
                .formatted(by.isNegative() ? "back by" : "forward by", TextFormat.span(by.abs()));
        LOG.log(System.Logger.Level.INFO, text);
        for (var run : context.ledger().runs().list(RunQuery.of(RunQuery.StatusFilter.LIVE)))
            if (context.membership().owns(run)) context.ledger().note(run, EventKind.CLOCK_STEP, text);
    }

    /** Records the last heartbeat at the daemon's shutdown. */
    public synchronized void recordShutdown() {
        try {
            if (started) heart.beat(context.clock().now());
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "the shutdown time of this daemon could not be recorded", e);
        }
    }

    /** Prepares for a pause: first checkpoints, then the operator's hook, all within the deadline. */
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

    /** Ends an announced pause, or records what the clocks show. Empty if no pause was announced. */
    public Optional<PauseWindow> resume() {
        var open = context.ledger().pauses().announced();
        check(); // a detected sleep takes the place of the announced pause
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
