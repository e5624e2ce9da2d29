package dev.roost.daemon.telemetry;

import dev.roost.base.Broken;
import dev.roost.base.Clock;
import dev.roost.service.ReadinessCheck;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Whether the daemon can do what it promises. A look writes to the disk, so there is at most one a second and one at a time,
 * and whoever asks is answered in time even if the disk is not.
 */
public final class ReadinessProbe implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMillis(1500);
    private static final Duration FRESH = Duration.ofSeconds(1);

    private final ReadinessCheck readiness;
    private final Clock clock;
    private final ExecutorService checker = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("roost-ready").factory());
    private volatile String at = "nothing";
    private CompletableFuture<Optional<Broken>> latest = CompletableFuture.completedFuture(Optional.empty());
    private long checkedAt;

    public ReadinessProbe(ReadinessCheck readiness, Clock clock) {
        this.readiness = readiness;
        this.clock = clock;
        this.checkedAt = clock.monotonicNanos() - FRESH.toNanos();
    }

    boolean isReady() {
        return trouble().isEmpty();
    }

    /** What is in the way, if anything is. */
    public Optional<Broken> trouble() {
        try {
            return checkIfDue().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            return Optional.of(ReadinessCheck.notReady(
                    at,
                    "The check \"%s\" has not come to an end in time.".formatted(at),
                    "Look at the disk and the log."));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of(ReadinessCheck.notReady("stopping", "The daemon is stopping.", "Try again."));
        }
    }

    private synchronized CompletableFuture<Optional<Broken>> checkIfDue() {
        if (!latest.isDone() || clock.monotonicNanos() - checkedAt < FRESH.toNanos()) return latest;
        checkedAt = clock.monotonicNanos();
        latest = CompletableFuture.supplyAsync(this::check, checker);
        return latest;
    }

    private Optional<Broken> check() {
        try {
            readiness.check(step -> at = step);
            return Optional.empty();
        } catch (Broken e) {
            return Optional.of(e);
        }
    }

    @Override
    public void close() {
        checker.shutdownNow();
    }
}
