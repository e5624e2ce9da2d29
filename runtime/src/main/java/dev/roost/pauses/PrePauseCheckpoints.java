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

/** Before a pause, everything that is worked on is kept, as much as there is time for. */
public record PrePauseCheckpoints(WorktreeService worktrees, Clock clock) {

    /** Checkpoints of all worktrees that are worked in, as many at once as there are processors; what became of that. */
    public List<PauseWindow.PauseRemark> keepAll(Duration most) {
        long until = clock.monotonicNanos() + most.toNanos();
        var remarks = new ArrayList<PauseWindow.PauseRemark>();
        var runs = worktrees.liveRuns();
        if (runs.isEmpty()) return remarks;
        int kept = 0;
        var hurried = Executors.newFixedThreadPool(
                Math.max(2, Runtime.getRuntime().availableProcessors()),
                Thread.ofVirtual().factory());
        try {
            List<Future<Boolean>> all = runs.stream()
                    .map(run -> hurried.submit(
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
            hurried.shutdownNow(); // and not waited for: the pause does not wait either
        }
        remarks.addFirst(new PauseWindow.PauseRemark(
                "%d of %d worktrees have a checkpoint".formatted(kept, runs.size()), false));
        return remarks;
    }

    /** What is wrong with it, if anything. */
    private static Optional<String> await(Future<Boolean> one, long nanos) {
        try {
            return one.get(Math.max(0, nanos), TimeUnit.NANOSECONDS)
                    ? Optional.empty()
                    : Optional.of("it could not be made");
        } catch (TimeoutException e) {
            return Optional.of("it was not done in time");
        } catch (ExecutionException e) {
            return Optional.of(String.valueOf(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("it was interrupted");
        }
    }
}
