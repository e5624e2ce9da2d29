package dev.roost.attempt.core;

import dev.roost.attempt.core.Observation.ProcessorSample;
import java.time.Duration;

/** Knows since when an attempt is quiet: no output, no running tool, and no child that uses the processor. */
final class QuietMonitor {

    /** Up to this share of one processor counts as idle: a timer needs about as much. */
    private static final double IDLE = 0.01;

    private static final Duration MIN_INTERVAL = Duration.ofSeconds(1);

    private static final double TICKS_PER_NANO = 100 / 1e9;

    private final Duration after;
    private long activeAt;
    private ProcessorSample last;

    QuietMonitor(long now, Duration after, boolean wasQuiet) {
        this.after = after;
        this.activeAt = now - (wasQuiet ? after.toNanos() : 0);
        this.last = new ProcessorSample(now, 0);
    }

    void activitySeen(long now) {
        activeAt = now;
    }

    /** The time since the last activity. */
    Duration length(long now) {
        return Duration.ofNanos(now - activeAt);
    }

    boolean isQuiet(long now) {
        return length(now).compareTo(after) >= 0;
    }

    /** The moment at which the attempt will have been quiet for {@code time}. */
    long quietFor(Duration time) {
        return activeAt + time.toNanos();
    }

    boolean isSampleDue(long now) {
        return now - last.at() >= after.toNanos() / 10;
    }

    void add(ProcessorSample sample) {
        if (sample.at() <= last.at()) return;
        boolean worked = sample.ticks() - last.ticks() > (sample.at() - last.at()) * TICKS_PER_NANO * IDLE;
        if (worked) activeAt = sample.at();
        last = sample;
    }

    /** The next sample, or the moment when the attempt becomes quiet; at least a second from now. */
    long due(long now) {
        long next = last.at() + after.toNanos() / 10;
        return Math.max(now + MIN_INTERVAL.toNanos(), isQuiet(now) ? next : Math.min(next, activeAt + after.toNanos()));
    }
}
