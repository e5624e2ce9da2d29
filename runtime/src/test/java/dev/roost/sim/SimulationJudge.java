package dev.roost.sim;

import dev.roost.ledger.record.AttemptRecord;
import dev.roost.model.Cause;
import dev.roost.model.EventKind;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.sim.SimulatedUsers.RequestedRun;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** Compares what the ledger says with what really happened on the simulated machine. */
final class SimulationJudge {

    /** How long an attempt may outlive a cap: daemons that die, lost events, and the escalation of a stop. */
    private static final long STOP_SLACK = 18 * Simulation.SECOND;

    /** A perch may record the exit this much later, and an attempt without a record counts until its loss is seen. */
    private static final long LATE_END = Simulation.SECOND;

    private static final Duration LEDGER_PRECISION = Duration.ofMillis(2);

    private final Simulation simulation;

    SimulationJudge(Simulation simulation) {
        this.simulation = simulation;
    }

    void checkQuiet(SimulatedFiles files, long silence, Duration atLeast) {
        if (files.isBusy()) simulation.broken("7: %s is called quiet, and its child computes".formatted(files));
        if (silence < atLeast.toNanos())
            simulation.broken("7: %s is called quiet after %d ms".formatted(files, silence / Simulation.MILLI));
    }

    /** A parked run waits for the end of the provider's limit. */
    void checkLaunch(RunId run, int attempt) {
        if (attempt == 1 || simulation.troubles.contains(Simulation.Trouble.CLOCK_JUMPS)) return;
        var before = simulation.truth.runs().attempts(run).get(attempt - 2);
        var files = simulation.machine.files(run, attempt - 1);
        boolean parked = before.cause().filter(Cause.RATE_LIMITED::equals).isPresent()
                && before.turn()
                        == simulation
                                .truth
                                .runs()
                                .find(run)
                                .orElseThrow()
                                .latest()
                                .turn();
        if (parked
                && files.reset
                        .filter(simulation.now().plus(LEDGER_PRECISION)::isBefore)
                        .isPresent())
            simulation.broken("%s/%d starts before the provider's limit ends".formatted(run, attempt));
    }

    void check(RequestedRun one) {
        var id = one.id.orElseThrow();
        var attempts = simulation.truth.runs().attempts(id);
        var moved = simulation.truth.runs().events(id).stream()
                .filter(event -> EventKind.MOVING.is(event.kind()))
                .map(event -> event.attempt())
                .collect(Collectors.toSet());
        for (var attempt : attempts) {
            checkEnd(one, id, attempt, moved);
            checkNotice(id, attempt, attempts);
            checkBudget(one, id, attempt, attempts);
            checkLosses(one, id, attempt, attempts, moved);
        }
    }

    private void checkEnd(RequestedRun one, RunId id, AttemptRecord attempt, Set<Integer> moved) {
        var files = simulation.machine.files(id, attempt.n());
        var name = id + "/" + attempt.n();
        if (files.instructions > 1) simulation.broken("%s ran %d times".formatted(name, files.instructions));
        if (!simulation.machine.of(files).isEmpty()) simulation.broken("8: processes of %s are left".formatted(name));
        var stoppedAt = one.stopped.get(attempt.n());
        if (stoppedAt != null && attempt.status() != Status.CANCELED_BY_USER)
            simulation.broken("the stop of %s was confirmed, and it is %s".formatted(name, attempt.status()));
        if (stoppedAt != null && files.diedAt - stoppedAt > STOP_SLACK)
            simulation.broken("%s lived for %d s after its stop was confirmed"
                    .formatted(name, (files.diedAt - stoppedAt) / Simulation.SECOND));
        if (!isHonest(one, attempt, files, moved.contains(attempt.n())))
            simulation.broken("5: %s is called %s (%s)".formatted(name, attempt.status(), attempt.cause()));
    }

    private boolean isHonest(RequestedRun one, AttemptRecord attempt, SimulatedFiles files, boolean moved) {
        var cause = attempt.cause().orElseThrow();
        boolean stopped =
                attempt.status() == Status.CANCELED_BY_USER || cause.word().startsWith("budget_");
        if (files.reportedSuccess() && !stopped)
            return attempt.status() == Status.COMPLETED; // its own word decides, however its process ended
        if (files.setupFailed && files.recorded.isPresent() && !stopped && !files.cutOff)
            return cause == Cause.SPAWN_FAILED || files.rebooted || (moved && cause == Cause.WORKER_LOST);
        return switch (attempt.status()) {
            case COMPLETED, COMPLETED_EMPTY -> one.plot.isCommand() && files.exitedWith(0);
            case FAILED ->
                switch (cause) {
                    case EXIT_CODE -> files.exitedWith(1) && files.report.isEmpty();
                    case CUT_SHORT -> files.exitedWith(0);
                    case SIGNAL ->
                        files.wasSignaled() && !(moved && files.endedByDaemon) && !isResumableMemoryKill(files);
                    case BUDGET_TIME ->
                        one.plot == SimulatedBehavior.Plot.OVER_TIME || one.plot == SimulatedBehavior.Plot.ASKS;
                    case BUDGET_TOKENS -> one.plot == SimulatedBehavior.Plot.OVER_TOKENS;
                    case BUDGET_QUIET -> !files.isBusy();
                    case SPAWN_FAILED -> files.setupFailed;
                    case RATE_LIMITED -> files.reset.isPresent(); // and another attempt follows
                    default -> false;
                };
            case CANCELED_BY_USER -> one.stopAsked;
            case ABANDONED ->
                switch (cause) {
                    case HOST_REBOOT -> files.rebooted;
                    case PERCH_LOST -> files.recorded.isEmpty() && !files.cutOff;
                    case OUT_OF_MEMORY -> files.outOfMemory;
                    case WORKER_LOST -> moved;
                    default -> false;
                };
            case QUEUED, RUNNING -> false;
        };
    }

    /** A daemon that starts after the kill does not see the kernel's count grow. */
    private boolean isResumableMemoryKill(SimulatedFiles files) {
        return files.outOfMemory
                && !simulation.troubles.contains(Simulation.Trouble.CRASHES)
                && !simulation.troubles.contains(Simulation.Trouble.REBOOT);
    }

    private void checkNotice(RunId id, AttemptRecord attempt, List<AttemptRecord> all) {
        boolean continued = attempt.n() < all.size() && all.get(attempt.n()).turn() == attempt.turn();
        long endNotices = simulation.truth.notices().of(id).stream()
                .filter(notice ->
                        notice.attempt() == attempt.n() && notice.kind().equals("ended"))
                .count();
        if (endNotices != (continued ? 0 : 1))
            simulation.broken("4: the end of %s/%d has %d notices".formatted(id, attempt.n(), endNotices));
    }

    private void checkBudget(RequestedRun one, RunId id, AttemptRecord attempt, List<AttemptRecord> all) {
        var name = id + "/" + attempt.n();
        var files = simulation.machine.files(id, attempt.n());
        long worked = inTurn(id, attempt, all, SimulatedFiles::worked);
        long cap = SimulatedUsers.MAX_TIME.toNanos();
        if (one.plot == SimulatedBehavior.Plot.OVER_TIME && worked > cap + STOP_SLACK)
            simulation.broken("7: %s worked %d s, and may work 1.5 s".formatted(name, worked / Simulation.SECOND));
        if (files.overspent() > STOP_SLACK)
            simulation.broken("7: %s went on for %d s after it had used too many tokens"
                    .formatted(name, files.overspent() / Simulation.SECOND));
        if (!attempt.cause().orElseThrow().equals(Cause.BUDGET_TIME)) return;
        if (inTurn(id, attempt, all, SimulatedFiles::elapsed) < cap - LATE_END)
            simulation.broken("7: %s was stopped for its time, and lived too short".formatted(name));
        boolean undisturbed = simulation.troubles.isEmpty() && attempt.n() == 1;
        if (undisturbed && worked < cap - 100 * Simulation.MILLI)
            simulation.broken("7: %s was stopped for its time, and waited for an answer".formatted(name));
    }

    private long inTurn(
            RunId id, AttemptRecord attempt, List<AttemptRecord> all, ToLongFunction<SimulatedFiles> measure) {
        return all.stream()
                .filter(other -> other.turn() == attempt.turn() && other.n() <= attempt.n())
                .mapToLong(other -> measure.applyAsLong(simulation.machine.files(id, other.n())))
                .sum();
    }

    /** A run resumes after a loss, but not for ever; a move does not count. */
    private void checkLosses(
            RequestedRun one, RunId id, AttemptRecord attempt, List<AttemptRecord> all, Set<Integer> moved) {
        long losses = all.stream()
                .filter(other -> other.turn() == attempt.turn() && other.n() <= attempt.n())
                .filter(other ->
                        other.status() == Status.ABANDONED && other.began().isPresent())
                .filter(other -> !(moved.contains(other.n()) && other.cause().equals(Optional.of(Cause.WORKER_LOST))))
                .count();
        if (losses > SimulatedUsers.MAX_ATTEMPTS)
            simulation.broken("%s/%d was lost %d times in one turn".formatted(id, attempt.n(), losses));
        boolean last = attempt.n() == all.size() || all.get(attempt.n()).turn() != attempt.turn();
        if (last && attempt.cause().equals(Optional.of(Cause.RATE_LIMITED)))
            simulation.broken("%s/%d was rate-limited and not parked".formatted(id, attempt.n()));
        if (last && one.resume && attempt.status() == Status.ABANDONED && losses < SimulatedUsers.MAX_ATTEMPTS)
            simulation.broken("%s was given up after %d losses".formatted(id, losses));
    }
}
