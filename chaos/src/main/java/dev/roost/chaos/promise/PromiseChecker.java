package dev.roost.chaos.promise;

import static dev.roost.chaos.promise.Violation.Count.DOUBLED;
import static dev.roost.chaos.promise.Violation.Count.LIES;
import static dev.roost.chaos.promise.Violation.Count.LOST;
import static dev.roost.chaos.promise.Violation.Count.ORPHANS;

import dev.roost.chaos.promise.RunFact.Reported;
import dev.roost.chaos.promise.Violation.Count;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Compares what observers saw of runs over time with the promises. It makes no calls and does not wait. Thread-safe.
 *
 * <p>The simulation, the random schedules of the tests and {@code roost doctor --chaos} all use it.
 */
public final class PromiseChecker {

    /** The time, in seconds, that the promises allow for reaching a consistent state. */
    public static final double GRACE = 5;

    private final Map<String, Double> accepted = new LinkedHashMap<>();
    private final Map<String, Reported> latest = new HashMap<>();
    private final Map<String, String> ends = new HashMap<>();
    private final Map<String, Double> suspects = new HashMap<>();
    private final Set<String> convicted = new HashSet<>();
    private final List<Violation> violations = new ArrayList<>();
    private Set<String> listed = Set.of();

    public synchronized List<Violation> violations() {
        return List.copyOf(violations);
    }

    /** Checks an observation of all runs; false if something in it may only lag and must be observed again. */
    public synchronized boolean check(RunObservation observation) {
        var open = new HashSet<String>();
        for (var fact : observation.facts()) {
            boolean lags = fact instanceof RunFact.Lag || fact instanceof RunFact.Processes;
            for (var found : judge(fact, observation.at())) {
                if (!lags) report(found);
                else if (!convicted.contains(key(found)) && !isOverdue(found, observation)) open.add(key(found));
            }
        }
        suspects.keySet().retainAll(open);
        return open.isEmpty();
    }

    /** Checks facts that cannot lag. */
    public synchronized void see(double at, RunFact... facts) {
        for (var fact : facts) judge(fact, at).forEach(this::report);
    }

    private boolean isOverdue(Violation found, RunObservation observation) {
        double since = suspects.computeIfAbsent(key(found), _ -> observation.at());
        boolean overdue = observation.at() - Math.max(since, observation.calmSince()) > GRACE;
        if (overdue) report(found);
        return overdue;
    }

    /** Reports each promise once for each run. */
    private void report(Violation found) {
        if (convicted.add(key(found))) violations.add(found);
    }

    private static String key(Violation found) {
        return found.run() + "/" + found.promise();
    }

    private List<Violation> judge(RunFact fact, double at) {
        return switch (fact) {
            case RunFact.Accepted(var run) -> {
                accepted.put(run, at);
                yield List.of();
            }
            case RunFact.Listed(var runs, var closed) -> existence(runs, closed, at);
            case RunFact.Traced(var what, var runs, var each) -> traces(what, runs, each, at);
            case Reported reported -> history(reported, at);
            case RunFact.Processes(var run, var alive) -> processes(run, List.copyOf(alive), at);
            case RunFact.Notified(var run, var attempt, var count, var due) -> {
                String what = "attempt %d has %d notices of its end".formatted(attempt, count);
                if (count == (due ? 1 : 0)) yield List.of();
                yield broken(Promise.ONE_COMMIT, !due ? LIES : count == 0 ? LOST : DOUBLED, run, what, at);
            }
            case RunFact.Ended(var run, var attempt, var end, var possible) -> {
                if (possible.contains(end)) yield List.of();
                String what = "attempt %d ended as %s; possible: %s".formatted(attempt, end, possible);
                yield broken(Promise.DEAD_IS_NOT_DONE, end.startsWith("completed") ? LIES : LOST, run, what, at);
            }
            case RunFact.Amount(var promise, var run, var what, var amount, var least, var most) -> {
                if (least <= amount && amount <= most) yield List.of();
                boolean once = promise == Promise.FIRST_END_WINS || promise == Promise.ONE_COMMIT;
                yield amount < least
                        ? broken(promise, LOST, run, "%s: %d, not at least %d".formatted(what, amount, least), at)
                        : broken(
                                promise,
                                once ? DOUBLED : LIES,
                                run,
                                "%s: %d, not at most %d".formatted(what, amount, most),
                                at);
            }
            case RunFact.Answer(var promise, var run, var question, var answer, var right) -> {
                if (answer.equals(right)) yield List.of();
                boolean lost = promise == Promise.ACCEPTED_IS_DURABLE || promise == Promise.NO_WORK_THROWN_AWAY;
                String what = "%s: \"%s\", not \"%s\"".formatted(question, answer, right);
                yield broken(promise, lost ? LOST : LIES, run, what, at);
            }
            case RunFact.Lag(var inner) -> judge(inner, at);
        };
    }

    private static List<Violation> broken(Promise promise, Count count, String run, String what, double at) {
        return List.of(new Violation(promise, count, run, what, at));
    }

    private List<Violation> existence(Set<String> runs, boolean closed, double at) {
        listed = runs;
        var broken = new ArrayList<Violation>();
        accepted.forEach((run, since) -> {
            if (since < at && !runs.contains(run))
                broken.addAll(
                        broken(Promise.ACCEPTED_IS_DURABLE, LOST, run, "it was accepted, but does not exist", at));
        });
        if (closed)
            for (var run : runs)
                if (!accepted.containsKey(run))
                    broken.addAll(
                            broken(Promise.ACCEPTED_IS_DURABLE, LIES, run, "it exists, but no client started it", at));
        return broken;
    }

    private List<Violation> traces(String what, Set<String> runs, boolean each, double at) {
        var broken = new ArrayList<Violation>();
        for (var run : runs)
            if (!listed.contains(run))
                broken.addAll(broken(Promise.ACCEPTED_IS_DURABLE, LIES, run, what + " without a run", at));
        if (each)
            for (var run : listed)
                if (!runs.contains(run))
                    broken.addAll(broken(Promise.ACCEPTED_IS_DURABLE, LOST, run, "a run without " + what, at));
        return broken;
    }

    private List<Violation> history(Reported now, double at) {
        var before = latest.put(now.run(), now);
        if (before != null && now.attempt() < before.attempt())
            return broken(Promise.ONE_TRUTH, LIES, now.run(), "it was %s and is %s".formatted(before, now), at);
        String key = now.run() + "/" + now.attempt();
        String end = now.end().isEmpty() ? ends.get(key) : ends.putIfAbsent(key, now.end());
        if (end == null || end.equals(now.end())) return List.of();
        String what =
                "its end was \"%s\" and is \"%s\"".formatted(end, now.end().isEmpty() ? now.status() : now.end());
        return broken(Promise.FIRST_END_WINS, LIES, now.run(), what, at);
    }

    private List<Violation> processes(String run, List<?> alive, double at) {
        var reported = latest.get(run);
        String status = reported == null ? "unknown" : reported.status();
        boolean running = status.equals("running");
        if (running == !alive.isEmpty()) return List.of();
        return running
                ? broken(Promise.NO_ROW_LIES, LIES, run, "it is running, but has no process", at)
                : broken(Promise.NO_ORPHANS, ORPHANS, run, "it is %s, but has %s".formatted(status, alive), at);
    }
}
