package dev.roost.home;

import dev.roost.base.BadInput;
import dev.roost.base.Clock;
import dev.roost.base.FaultPoints;
import dev.roost.os.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Fault points that a file configures. The file may change at any time; docs/chaos.md describes its syntax. */
public final class FaultFile implements FaultPoints {

    private static final System.Logger LOG = System.getLogger(FaultFile.class.getName());
    private static final String VARIABLE = "ROOST_FAULTS";
    private static final long RELOAD_INTERVAL_NANOS = 20_000_000;

    private final Path file;
    private final Clock real;
    private volatile FaultPlan plan = FaultPlan.NONE;
    private Optional<Stamp> seen = Optional.empty();
    private volatile long loadedAt;

    private FaultFile(Path file, Clock real) {
        this.file = file;
        this.real = real;
    }

    /** Identifies one version of the file. */
    private record Stamp(Instant written, long size, Optional<Object> key) {}

    /** The faults that the environment asks for; throws if a line of their file is not understood. */
    public static Optional<FaultFile> of(Map<String, String> environment, Clock real) {
        var path = environment.getOrDefault(VARIABLE, "");
        if (path.isEmpty()) return Optional.empty();
        var faults = new FaultFile(Path.of(path), real);
        var invalid = faults.reload();
        if (!invalid.isEmpty()) {
            throw new BadInput(
                    "bad_faults",
                    "%s has a line that is not understood: \"%s\".".formatted(path, invalid.getFirst()),
                    "Write lines like: kill before claim, kill after finish 2, slow 250ms, clock +1h.");
        }
        LOG.log(System.Logger.Level.WARNING, "injecting the faults that {0} lists", path);
        return Optional.of(faults);
    }

    @Override
    public void before(List<Step> steps) {
        reloadIfChanged();
        plan.pause().ifPresent(this::park);
        plan.kills(FaultPlan.KillPoint.BEFORE, steps).ifPresent(step -> die("before", step));
    }

    @Override
    public void after(List<Step> steps) {
        reloadIfChanged();
        plan.kills(FaultPlan.KillPoint.AFTER, steps).ifPresent(step -> die("after", step));
    }

    /** A clock whose wall time the file shifts. Durations and sleep are not affected. */
    public Clock clock() {
        return new Clock() {
            @Override
            public Instant now() {
                if (real.monotonicNanos() - loadedAt > RELOAD_INTERVAL_NANOS) reloadIfChanged();
                return real.now().plus(plan.shift());
            }

            @Override
            public long monotonicNanos() {
                return real.monotonicNanos();
            }

            @Override
            public long sleptNanos() {
                return real.sleptNanos();
            }
        };
    }

    private void reloadIfChanged() {
        for (var line : reload())
            LOG.log(System.Logger.Level.WARNING, "a line of the fault file is not understood: {0}", line);
    }

    /** Reloads the file if it changed; returns the lines that are not understood. */
    private synchronized List<String> reload() {
        loadedAt = real.monotonicNanos();
        try {
            var now = stamp();
            if (now.equals(seen)) return List.of();
            var read = FaultPlan.read(now.isPresent() ? Files.readAllLines(file) : List.of());
            seen = now;
            plan = read.plan();
            return read.invalid();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "the fault file cannot be read", e);
            return List.of();
        }
    }

    private Optional<Stamp> stamp() throws IOException {
        try {
            var all = Files.readAttributes(file, BasicFileAttributes.class);
            return Optional.of(
                    new Stamp(all.lastModifiedTime().toInstant(), all.size(), Optional.ofNullable(all.fileKey())));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private void park(Duration pause) {
        long until = real.monotonicNanos() + pause.toNanos();
        while (real.monotonicNanos() < until && !Thread.currentThread().isInterrupted())
            LockSupport.parkNanos(until - real.monotonicNanos());
    }

    /** Kills this process without any cleanup. Only the log line tells it from a kill from outside. */
    private static void die(String when, Step step) {
        LOG.log(System.Logger.Level.WARNING, "dies {0} {1}, on purpose", when, step.word());
        Processes.killSelf();
        while (true) LockSupport.park();
    }
}
