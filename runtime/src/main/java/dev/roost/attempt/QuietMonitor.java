package dev.roost.attempt;

import dev.roost.base.Clock;
import dev.roost.model.ProcessId;
import dev.roost.os.Processes;
import dev.roost.process.ProcessTree;
import java.time.Duration;
import java.util.Set;

/** Whether an attempt does anything: says something, has a tool at work, or children that use the processor. */
final class QuietMonitor {

    /** A hundredth of a processor is somebody's timer, not work. */
    private static final double IDLE = 0.01;

    private static final Duration OFTEN = Duration.ofSeconds(1);

    private static final double TICKS_PER_NANO = 100 / 1e9;

    private final Clock clock;
    private final Duration after;
    private final ProcessTree tree;
    private long newsAt;
    private long sampledAt;
    private long sampledTicks;

    QuietMonitor(Clock clock, Duration after, ProcessTree tree, boolean wasQuiet) {
        this.clock = clock;
        this.after = after;
        this.tree = tree;
        this.newsAt = clock.monotonicNanos() - (wasQuiet ? after.toNanos() : 0);
        this.sampledAt = clock.monotonicNanos();
    }

    void activitySeen() {
        newsAt = clock.monotonicNanos();
    }

    /** For how long nothing has happened. */
    Duration length() {
        return Duration.ofNanos(clock.monotonicNanos() - newsAt);
    }

    /** When to look at the children again, or when it is quiet if they do nothing; not at once, as others may have to. */
    long due() {
        long next = sampledAt + after.toNanos() / 10;
        return Math.max(
                clock.monotonicNanos() + OFTEN.toNanos(), isQuiet() ? next : Math.min(next, newsAt + after.toNanos()));
    }

    /** When it has been quiet for that long. */
    long quietFor(Duration time) {
        return newsAt + time.toNanos();
    }

    boolean isQuiet() {
        return length().compareTo(after) >= 0;
    }

    /**
     * Looks at the children, now and then, also at those that came and went meanwhile; {@code own} are the agent itself and
     * its perch.
     */
    void sample(Set<ProcessId> own) {
        long now = clock.monotonicNanos();
        if (now - sampledAt < after.toNanos() / 10) return;
        var children = tree.members();
        children.removeAll(own);
        long ticks = Processes.cpuTicks(children) + Processes.reapedTicks(own);
        boolean worked = ticks - sampledTicks > (now - sampledAt) * TICKS_PER_NANO * IDLE;
        if (worked) newsAt = now;
        sampledAt = now;
        sampledTicks = ticks;
    }
}
