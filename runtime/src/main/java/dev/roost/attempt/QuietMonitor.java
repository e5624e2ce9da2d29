package dev.roost.attempt;

import dev.roost.base.Clock;
import dev.roost.model.ProcessId;
import dev.roost.os.Processes;
import dev.roost.process.ProcessTree;
import java.time.Duration;
import java.util.Set;

/** Detects that an attempt is quiet: no output, no running tool, and no child that uses the processor. */
final class QuietMonitor {

    /** Up to this share of one processor counts as idle: a timer needs about as much. */
    private static final double IDLE = 0.01;

    private static final Duration MIN_INTERVAL = Duration.ofSeconds(1);

    private static final double TICKS_PER_NANO = 100 / 1e9;

    private final Clock clock;
    private final Duration after;
    private final ProcessTree tree;
    private long activeAt;
    private long sampledAt;
    private long sampledTicks;

    QuietMonitor(Clock clock, Duration after, ProcessTree tree, boolean wasQuiet) {
        this.clock = clock;
        this.after = after;
        this.tree = tree;
        this.activeAt = clock.monotonicNanos() - (wasQuiet ? after.toNanos() : 0);
        this.sampledAt = clock.monotonicNanos();
    }

    void activitySeen() {
        activeAt = clock.monotonicNanos();
    }

    /** The time since the last activity. */
    Duration length() {
        return Duration.ofNanos(clock.monotonicNanos() - activeAt);
    }

    /** The next sample, or the moment when the attempt becomes quiet; at least a second from now. */
    long due() {
        long next = sampledAt + after.toNanos() / 10;
        return Math.max(
                clock.monotonicNanos() + MIN_INTERVAL.toNanos(),
                isQuiet() ? next : Math.min(next, activeAt + after.toNanos()));
    }

    /** The moment at which the attempt will have been quiet for {@code time}. */
    long quietFor(Duration time) {
        return activeAt + time.toNanos();
    }

    boolean isQuiet() {
        return length().compareTo(after) >= 0;
    }

    /**
     * Measures the processor time of the children, including those that have ended since the last sample; {@code own} are the
     * agent and its perch, which do not count. Does nothing if the last sample is recent.
     */
    void sample(Set<ProcessId> own) {
        long now = clock.monotonicNanos();
        if (now - sampledAt < after.toNanos() / 10) return;
        var children = tree.members();
        children.removeAll(own);
        long ticks = Processes.cpuTicks(children) + Processes.reapedTicks(own);
        boolean worked = ticks - sampledTicks > (now - sampledAt) * TICKS_PER_NANO * IDLE;
        if (worked) activeAt = now;
        sampledAt = now;
        sampledTicks = ticks;
    }
}
