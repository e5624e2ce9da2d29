package dev.roost.sim;

import dev.roost.chaos.promise.Promise;
import dev.roost.chaos.promise.RunFact;
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
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** Shows the checker what the ledger says, beside what really happened on the simulated machine. */
final class SimulationInspector {

    /** How long an attempt may outlive a cap: daemons that die, lost events, and the escalation of a stop. */
    private static final long STOP_SLACK = 18 * Simulation.SECOND;

    /** A perch may record the exit this much later, and an attempt without a record counts until its loss is seen. */
    private static final long LATE_END = Simulation.SECOND;

    private static final Duration LEDGER_PRECISION = Duration.ofMillis(2);

    private final Simulation simulation;

    SimulationInspector(Simulation simulation) {
        this.simulation = simulation;
    }

    void inspectQuiet(SimulatedFiles files, long silence, Duration atLeast) {
        amount(Promise.BOUNDED, files, "busy children of an agent that is called quiet", files.isBusy() ? 1 : 0, 0);
        atLeast(
                Promise.SLEEP_IS_NOT_A_STALL,
                files,
                "nanoseconds of silence of a quiet agent",
                silence,
                atLeast.toNanos());
    }

    /** A parked run waits for the end of the provider's limit. */
    void inspectLaunch(RunId run, int attempt) {
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
        if (!parked || files.reset.isEmpty()) return;
        long early = Duration.between(simulation.now(), files.reset.get()).toNanos();
        amount(
                Promise.NO_SURPRISE,
                run,
                "nanoseconds that a launch precedes the end of the provider's limit",
                Math.max(0, early),
                LEDGER_PRECISION.toNanos());
    }

    void inspect(RequestedRun one) {
        var id = one.id.orElseThrow();
        var attempts = simulation.truth.runs().attempts(id);
        var moved = simulation.truth.runs().events(id).stream()
                .filter(event -> EventKind.MOVING.is(event.kind()))
                .map(event -> event.attempt())
                .collect(Collectors.toSet());
        for (var attempt : attempts) {
            inspectEnd(one, id, attempt, moved.contains(attempt.n()));
            inspectNotice(id, attempt, attempts);
            inspectBudget(one, id, attempt, attempts);
            inspectLosses(one, id, attempt, attempts, moved);
        }
    }

    private void inspectEnd(RequestedRun one, RunId id, AttemptRecord attempt, boolean moved) {
        var files = simulation.machine.files(id, attempt.n());
        amount(Promise.FIRST_END_WINS, files, "starts of an attempt", files.instructions, 1);
        amount(
                Promise.NO_ORPHANS,
                files,
                "processes left",
                simulation.machine.of(files).size(),
                0);
        var stoppedAt = one.stopped.get(attempt.n());
        if (stoppedAt != null) {
            answer(Promise.FIRST_END_WINS, files, "after a confirmed stop", attempt.status(), Status.CANCELED_BY_USER);
            amount(Promise.NO_ORPHANS, files, "life after a confirmed stop", files.diedAt - stoppedAt, STOP_SLACK);
        }
        var end = end(attempt.status(), attempt.cause().orElseThrow());
        var possible = possible(one, files, moved);
        simulation.see(new RunFact.Ended(id.text(), attempt.n(), end, possible));
    }

    private static String end(Status status, Cause cause) {
        return status.word() + " " + cause.word();
    }

    /** The ends that agree with what really happened. */
    private Set<String> possible(RequestedRun one, SimulatedFiles files, boolean moved) {
        var possible = new TreeSet<String>();
        boolean asks = one.plot == SimulatedBehavior.Plot.ASKS;
        if (one.stopAsked) possible.add(end(Status.CANCELED_BY_USER, Cause.STOPPED));
        if (asks || one.plot == SimulatedBehavior.Plot.OVER_TIME) possible.add(end(Status.FAILED, Cause.BUDGET_TIME));
        if (one.plot == SimulatedBehavior.Plot.OVER_TOKENS) possible.add(end(Status.FAILED, Cause.BUDGET_TOKENS));
        if (!files.isBusy()) possible.add(end(Status.FAILED, Cause.BUDGET_QUIET));
        if (files.reportedSuccess()) { // its own word decides, however its process ended
            possible.add(end(Status.COMPLETED, Cause.FINISHED));
            return possible;
        }
        boolean setupEnded = files.setupFailed && files.recorded.isPresent() && !files.cutOff;
        if (files.setupFailed) possible.add(end(Status.FAILED, Cause.SPAWN_FAILED));
        if (moved) possible.add(end(Status.ABANDONED, Cause.WORKER_LOST));
        if (setupEnded && !files.rebooted) return possible;
        if (one.plot.isCommand() && files.exitedWith(0)) {
            possible.add(end(Status.COMPLETED, Cause.FINISHED));
            possible.add(end(Status.COMPLETED_EMPTY, Cause.FINISHED));
        }
        if (files.exitedWith(1) && files.report.isEmpty()) possible.add(end(Status.FAILED, Cause.EXIT_CODE));
        if (files.exitedWith(0)) possible.add(end(Status.FAILED, Cause.CUT_SHORT));
        if (files.wasSignaled() && !(moved && files.endedByDaemon) && !isResumableMemoryKill(files))
            possible.add(end(Status.FAILED, Cause.SIGNAL));
        if (files.reset.isPresent())
            possible.add(end(Status.FAILED, Cause.RATE_LIMITED)); // and another attempt follows
        if (files.rebooted) possible.add(end(Status.ABANDONED, Cause.HOST_REBOOT));
        if (files.recorded.isEmpty() && !files.cutOff) possible.add(end(Status.ABANDONED, Cause.PERCH_LOST));
        if (files.outOfMemory) possible.add(end(Status.ABANDONED, Cause.OUT_OF_MEMORY));
        return possible;
    }

    /** A daemon that starts after the kill does not see the kernel's count grow. */
    private boolean isResumableMemoryKill(SimulatedFiles files) {
        return files.outOfMemory
                && !simulation.troubles.contains(Simulation.Trouble.CRASHES)
                && !simulation.troubles.contains(Simulation.Trouble.REBOOT);
    }

    private void inspectNotice(RunId id, AttemptRecord attempt, List<AttemptRecord> all) {
        boolean continued = attempt.n() < all.size() && all.get(attempt.n()).turn() == attempt.turn();
        long endNotices = simulation.truth.notices().of(id).stream()
                .filter(notice ->
                        notice.attempt() == attempt.n() && notice.kind().equals("ended"))
                .count();
        simulation.see(new RunFact.Notified(id.text(), attempt.n(), endNotices, !continued));
    }

    private void inspectBudget(RequestedRun one, RunId id, AttemptRecord attempt, List<AttemptRecord> all) {
        var files = simulation.machine.files(id, attempt.n());
        long worked = inTurn(id, attempt, all, SimulatedFiles::worked);
        long cap = SimulatedUsers.MAX_TIME.toNanos();
        if (one.plot == SimulatedBehavior.Plot.OVER_TIME)
            amount(Promise.BOUNDED, files, "nanoseconds worked", worked, cap + STOP_SLACK);
        amount(Promise.BOUNDED, files, "nanoseconds after too many tokens", files.overspent(), STOP_SLACK);
        if (!attempt.cause().orElseThrow().equals(Cause.BUDGET_TIME)) return;
        long elapsed = inTurn(id, attempt, all, SimulatedFiles::elapsed);
        atLeast(Promise.SLEEP_IS_NOT_A_STALL, files, "life until its time was over", elapsed, cap - LATE_END);
        if (simulation.troubles.isEmpty() && attempt.n() == 1)
            atLeast(Promise.BOUNDED, files, "work until its time was over", worked, cap - 100 * Simulation.MILLI);
    }

    private long inTurn(
            RunId id, AttemptRecord attempt, List<AttemptRecord> all, ToLongFunction<SimulatedFiles> measure) {
        return all.stream()
                .filter(other -> other.turn() == attempt.turn() && other.n() <= attempt.n())
                .mapToLong(other -> measure.applyAsLong(simulation.machine.files(id, other.n())))
                .sum();
    }

    /** A run resumes after a loss, but not for ever; a move does not count. */
    private void inspectLosses(
            RequestedRun one, RunId id, AttemptRecord attempt, List<AttemptRecord> all, Set<Integer> moved) {
        long losses = all.stream()
                .filter(other -> other.turn() == attempt.turn() && other.n() <= attempt.n())
                .filter(other ->
                        other.status() == Status.ABANDONED && other.began().isPresent())
                .filter(other -> !(moved.contains(other.n()) && other.cause().equals(Optional.of(Cause.WORKER_LOST))))
                .count();
        amount(Promise.BOUNDED, id, "losses in one turn", losses, SimulatedUsers.MAX_ATTEMPTS);
        if (attempt.n() < all.size() && all.get(attempt.n()).turn() == attempt.turn()) return;
        boolean limited = attempt.cause().equals(Optional.of(Cause.RATE_LIMITED));
        amount(Promise.ONE_COMMIT, id, "rate-limited attempts that were not parked", limited ? 1 : 0, 0);
        if (one.resume && attempt.status() == Status.ABANDONED)
            atLeast(Promise.DEAD_IS_NOT_DONE, id, "losses until it was given up", losses, SimulatedUsers.MAX_ATTEMPTS);
    }

    private void amount(Promise promise, Object of, String what, long amount, long most) {
        simulation.see(new RunFact.Amount(promise, of.toString(), what, amount, Long.MIN_VALUE, most));
    }

    private void atLeast(Promise promise, Object of, String what, long amount, long least) {
        simulation.see(new RunFact.Amount(promise, of.toString(), what, amount, least, Long.MAX_VALUE));
    }

    private void answer(Promise promise, Object of, String question, Object answer, Object right) {
        simulation.see(new RunFact.Answer(promise, of.toString(), question, answer.toString(), right.toString()));
    }
}
