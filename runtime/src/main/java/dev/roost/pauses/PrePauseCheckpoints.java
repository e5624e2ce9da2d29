package dev.roost.pauses;

import dev.roost.base.Clock;
import dev.roost.ledger.record.PauseWindow;
import dev.roost.worktrees.WorktreeService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Makes checkpoints of all live worktrees before a pause, as far as there is time. */
public record PrePauseCheckpoints(WorktreeService worktrees, Clock clock) {

    /** Makes checkpoints of all live worktrees, in parallel on all processors, and returns remarks about them. */
    public List<PauseWindow.PauseRemark> keepAll(Duration timeout) {
        long until = clock.monotonicNanos() + timeout.toNanos();
        var remarks = new ArrayList<PauseWindow.PauseRemark>();
        var runs = worktrees.liveRuns();
        if (runs.isEmpty()) return remarks;
        int kept = 0;
        var executor = Executors.newFixedThreadPool(
                Math.max(2, Runtime.getRuntime().availableProcessors()),
                Thread.ofVirtual().factory());
        try {
            List<Future<Boolean>> all = runs.stream()
                    .map(run -> executor.submit(
                            () -> worktrees.checkpoint(run, "before a pause").isPresent()))
                    .toList();
            for (int i = 0; i < all.size(); i++) {
                var outcome = await(all.get(i), until - clock.monotonicNanos());
                if (outcome.isEmpty()) kept++;
                else
                    remarks.add(new PauseWindow.PauseRemark(
                            "the checkpoint of %s: %s".formatted(runs.get(i).id(), outcome.get()), true));
            }
        } finally {
            executor.shutdownNow(); // without waiting: the pause does not wait either
        }
        remarks.addFirst(new PauseWindow.PauseRemark(
                "%d of %d worktrees have a checkpoint".formatted(kept, runs.size()), false));
        return remarks;
    }

    /** The problem with this checkpoint, if any. */
    private static Optional<String> await(Future<Boolean> one, long nanos) {
        try {
            return one.get(Math.max(0, nanos), TimeUnit.NANOSECONDS) ? Optional.empty() : Optional.of("it failed");
        } catch (TimeoutException e) {
            return Optional.of("it did not finish in time");
        } catch (ExecutionException e) {
            return Optional.of(String.valueOf(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("it was interrupted");
        }
    }
}
