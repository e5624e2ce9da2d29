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

/** Faults as a file says, which may be written anew at any time; docs/chaos.md has its words. */
public final class FaultFile implements FaultPoints {

    private static final System.Logger LOG = System.getLogger(FaultFile.class.getName());
    private static final String VARIABLE = "ROOST_FAULTS";
    private static final long BETWEEN_LOOKS_NANOS = 20_000_000;

    private final Path file;
    private final Clock real;
    private volatile FaultPlan plan = FaultPlan.NONE;
    private Optional<Stamp> seen = Optional.empty();
    private volatile long lookedAt;

    private FaultFile(Path file, Clock real) {
        this.file = file;
        this.real = real;
    }

    /** By which a new file is told from the one before. */
    private record Stamp(Instant written, long size, Optional<Object> key) {}

    /** The faults that the environment asks for; refused if their file cannot be understood. */
    public static Optional<FaultFile> of(Map<String, String> environment, Clock real) {
        var path = environment.getOrDefault(VARIABLE, "");
        if (path.isEmpty()) return Optional.empty();
        var faults = new FaultFile(Path.of(path), real);
        var wrong = faults.reload();
        if (!wrong.isEmpty()) {
            throw new BadInput(
                    "bad_faults",
                    "%s has a line that is not understood: \"%s\".".formatted(path, wrong.getFirst()),
                    "Write lines like: kill before claim, kill after finish 2, slow 250ms, clock +1h.");
        }
        LOG.log(System.Logger.Level.WARNING, "faults on purpose, as {0} says", path);
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

    /** The wall clock as the file says; what it does to durations and sleep is nothing. */
    public Clock clock() {
        return new Clock() {
            @Override
            public Instant now() {
                if (real.monotonicNanos() - lookedAt > BETWEEN_LOOKS_NANOS) reloadIfChanged();
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
        for (var line : reload()) LOG.log(System.Logger.Level.WARNING, "a fault is not understood: {0}", line);
    }

    /** The lines that are not understood, each told once. */
    private synchronized List<String> reload() {
        lookedAt = real.monotonicNanos();
        try {
            var now = stamp();
            if (now.equals(seen)) return List.of();
            var read = FaultPlan.read(now.isPresent() ? Files.readAllLines(file) : List.of());
            seen = now;
            plan = read.plan();
            return read.wrong();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "the faults cannot be read", e);
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

    /** As if somebody had killed it: nothing is closed, nobody is told; but the log says that it was on purpose. */
    private static void die(String when, Step step) {
        LOG.log(System.Logger.Level.WARNING, "dies {0} {1}, on purpose", when, step.word());
        Processes.killSelf();
        while (true) LockSupport.park();
    }
}
