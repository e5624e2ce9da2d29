package dev.roost.daemon.telemetry;

import dev.roost.base.Broken;
import dev.roost.base.Clock;
import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
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
 * Checks whether the daemon can work. A check writes to the disk, so it runs at most once a second and never twice at a time.
 * A caller gets its answer within the timeout, even if the disk blocks.
 */
public final class ReadinessProbe implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofMillis(1500);
    private static final Duration FRESH = Duration.ofSeconds(1);

    private final ReadinessCheck readiness;
    private final Clock clock;
    private final ExecutorService checker = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("roost-ready").factory());
    private volatile ErrorCode currentStep = ErrorCode.NOT_READY_DISK;
    private CompletableFuture<Optional<RoostError>> latest = CompletableFuture.completedFuture(Optional.empty());
    private long checkedAt;

    public ReadinessProbe(ReadinessCheck readiness, Clock clock) {
        this.readiness = readiness;
        this.clock = clock;
        this.checkedAt = clock.monotonicNanos() - FRESH.toNanos();
    }

    boolean isReady() {
        return trouble().isEmpty();
    }

    /** The reason why the daemon is not ready; empty if it is. */
    public Optional<RoostError> trouble() {
        try {
            return checkIfDue().get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            var step = currentStep.code().replace("not_ready_", "");
            return Optional.of(
                    currentStep.error("The check \"%s\" timed out.".formatted(step), "Check the disk and the log."));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of(ErrorCode.NOT_READY_STOPPING.error("The daemon is stopping."));
        }
    }

    private synchronized CompletableFuture<Optional<RoostError>> checkIfDue() {
        if (!latest.isDone() || clock.monotonicNanos() - checkedAt < FRESH.toNanos()) return latest;
        checkedAt = clock.monotonicNanos();
        latest = CompletableFuture.supplyAsync(this::check, checker);
        return latest;
    }

    private Optional<RoostError> check() {
        try {
            readiness.check(step -> currentStep = step);
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
