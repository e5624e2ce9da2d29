package dev.roost.daemon;

import dev.roost.base.Clock;
import dev.roost.base.ErrorCode;
import dev.roost.base.FaultPoints;
import dev.roost.os.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Fault points that a file configures. The file may change at any time; docs/chaos.md describes its syntax. */
final class FaultFile implements FaultPoints {

    private static final System.Logger LOG = System.getLogger(FaultFile.class.getName());
    private static final String VARIABLE = "ROOST_FAULTS";
    private static final long RELOAD_INTERVAL_NANOS = 20_000_000;

    private final Path file;
    private final Clock real;
    private volatile FaultPlan plan = FaultPlan.read(List.of());
    private String seen = "";
    private volatile long loadedAt;

    private FaultFile(Path file, Clock real) {
        this.file = file;
        this.real = real;
    }

    /** The faults that the environment asks for; throws if a line of their file is not understood. */
    static Optional<FaultFile> of(Map<String, String> environment, Clock real) {
        var path = environment.getOrDefault(VARIABLE, "");
        if (path.isEmpty()) return Optional.empty();
        var faults = new FaultFile(Path.of(path), real);
        faults.reload();
        if (!faults.plan.invalid().isEmpty())
            throw ErrorCode.BAD_FAULTS.error("%s has a line that is not understood: \"%s\"."
                    .formatted(path, faults.plan.invalid().getFirst()));
        LOG.log(System.Logger.Level.WARNING, "injecting the faults that {0} lists", path);
        return Optional.of(faults);
    }

    @Override
    public void before(List<Step> steps) {
        reload();
        long until = real.monotonicNanos() + plan.pause().toNanos();
        while (real.monotonicNanos() < until && !Thread.currentThread().isInterrupted())
            LockSupport.parkNanos(until - real.monotonicNanos());
        dieIfFatal("before", steps);
    }

    @Override
    public void after(List<Step> steps) {
        reload();
        dieIfFatal("after", steps);
    }

    /** A clock whose wall time the file shifts. Durations and sleep are not affected. */
    Clock clock() {
        return new Clock() {
            @Override
            public Instant now() {
                if (real.monotonicNanos() - loadedAt > RELOAD_INTERVAL_NANOS) reload();
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

    /** Reads the file again if it changed. */
    private synchronized void reload() {
        loadedAt = real.monotonicNanos();
        try {
            var version = version();
            if (version.equals(seen)) return;
            plan = FaultPlan.read(version.isEmpty() ? List.of() : Files.readAllLines(file));
            seen = version;
            for (var line : plan.invalid())
                LOG.log(System.Logger.Level.WARNING, "a line of the fault file is not understood: {0}", line);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "the fault file cannot be read", e);
        }
    }

    /** Identifies one version of the file; empty if there is none. */
    private String version() throws IOException {
        try {
            var all = Files.readAttributes(file, BasicFileAttributes.class);
            return "%s %d %s".formatted(all.lastModifiedTime().toInstant(), all.size(), all.fileKey());
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    /** Kills this process without any cleanup. Only the log line tells it from a kill from outside. */
    private void dieIfFatal(String when, List<Step> steps) {
        plan.fatal(when, steps).ifPresent(step -> {
            LOG.log(System.Logger.Level.WARNING, "dies {0} {1}, on purpose", when, step.word());
            Processes.killSelf();
            while (true) LockSupport.park();
        });
    }
}
