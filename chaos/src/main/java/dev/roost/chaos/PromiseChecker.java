package dev.roost.chaos;

import dev.roost.chaos.Violation.Count;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compares observations with the promises. It makes no calls and does not wait. Thread-safe. */
final class PromiseChecker {

    /** The time, in seconds, that the promises allow for reaching a consistent state. */
    static final double GRACE = 5;

    private final Map<String, Double> accepted = new LinkedHashMap<>();
    private final Map<String, String> ends = new HashMap<>();
    private final Map<String, Double> suspects = new HashMap<>();
    private final Set<String> convicted = new HashSet<>();
    private final List<Violation> violations = new ArrayList<>();

    /** A client received this id. An observation that began before may lack it. */
    synchronized void accepted(String runId, double at) {
        accepted.put(runId, at);
    }

    synchronized List<Violation> violations() {
        return List.copyOf(violations);
    }

    /** Checks an observation; false if a suspicion must be checked again. */
    synchronized boolean check(RunObservation observation) {
        var open = new HashMap<String, Double>();
        var present = new HashSet<String>();
        for (var run : observation.runs()) {
            present.add(run.runId());
            end(observation, run);
            process(observation, run, open);
            run.details().ifPresent(closer -> checkDetails(observation, run, closer, open));
        }
        // 1: accepted is durable
        accepted.forEach((id, at) -> {
            if (at < observation.at() && !present.contains(id))
                reportViolation(1, Count.LOST, id, "it was accepted, but does not exist", observation.at());
        });
        suspects.keySet().retainAll(open.keySet());
        return open.isEmpty();
    }

    /** 3: an end never changes. */
    private void end(RunObservation observation, RunObservation.ObservedRun run) {
        String key = run.runId() + "/" + run.attempt();
        String before = ends.get(key);
        if (before != null && !before.equals(run.end()))
            reportViolation(
                    3,
                    Count.LIES,
                    run.runId(),
                    "its end was \"%s\" and is now \"%s\"".formatted(before, run.ended() ? run.end() : run.status()),
                    observation.at());
        else if (run.ended()) ends.put(key, run.end());
    }

    /** 7: nothing is running without a process. */
    private void process(RunObservation observation, RunObservation.ObservedRun run, Map<String, Double> open) {
        if (run.status().equals("running") && !run.alive())
            suspect(7, Count.LIES, run, "its status is running, but it has no process", observation, open);
    }

    private void checkDetails(
            RunObservation observation,
            RunObservation.ObservedRun run,
            RunObservation.RunDetails closer,
            Map<String, Double> open) {
        // an attempt is one process, and a command has one attempt
        if (closer.agentLog().starts().size() > 1)
            reportViolation(
                    3,
                    Count.DOUBLED,
                    run.runId(),
                    "it was started %d times"
                            .formatted(closer.agentLog().starts().size()),
                    observation.at());
        // 4: an end and its notice are written together
        long noticeCount =
                closer.notices().stream().filter(n -> n == run.attempt()).count();
        if (!run.ended() && noticeCount > 0)
            reportViolation(
                    4, Count.LIES, run.runId(), "it has a notice of its end, but has not ended", observation.at());
        if (!run.ended()) return;
        if (noticeCount == 0)
            reportViolation(4, Count.LOST, run.runId(), "it ended without a notice", observation.at());
        if (noticeCount > 1)
            reportViolation(
                    4, Count.DOUBLED, run.runId(), "its end has %d notices".formatted(noticeCount), observation.at());
        checkStatus(observation, run, closer);
        // 2: all surfaces agree; output.md follows the commit
        closer.surfaces().forEach((surface, status) -> {
            if (!status.equals(run.status()))
                suspect(
                        2,
                        Count.LIES,
                        run,
                        "%s says \"%s\", the list \"%s\"".formatted(surface, status, run.status()),
                        observation,
                        open);
        });
        // 8: no orphans
        if (!closer.left().isEmpty())
            suspect(8, Count.ORPHANS, run, "it ended, but left processes: " + closer.left(), observation, open);
        // 9: no work thrown away
        if (!closer.workKept())
            suspect(9, Count.LOST, run, "what it wrote into its worktree is lost", observation, open);
    }

    /** 5: an agent that died is not completed; an agent that finished without a fault is not reported as lost. */
    private void checkStatus(
            RunObservation observation, RunObservation.ObservedRun run, RunObservation.RunDetails closer) {
        var end = closer.agentLog().end();
        boolean done = run.status().startsWith("completed");
        if (done && (end.isEmpty() || end.getAsInt() != 0))
            reportViolation(
                    5,
                    Count.LIES,
                    run.runId(),
                    "its status is %s, but its agent %s"
                            .formatted(
                                    run.status(), end.isEmpty() ? "never finished" : "exited with " + end.getAsInt()),
                    observation.at());
        if (closer.harmed() || end.isEmpty()) return;
        String due = end.getAsInt() == 0 ? "completed" : "failed";
        if (!run.status().startsWith(due))
            reportViolation(
                    5,
                    Count.LOST,
                    run.runId(),
                    "no fault hit it and its agent exited with %d, but its status is %s"
                            .formatted(end.getAsInt(), run.end()),
                    observation.at());
    }

    private void suspect(
            int promise,
            Count count,
            RunObservation.ObservedRun run,
            String what,
            RunObservation observation,
            Map<String, Double> open) {
        String key = run.runId() + "/" + promise;
        if (convicted.contains(key)) return;
        double since = suspects.computeIfAbsent(key, _ -> observation.at());
        if (observation.at() - Math.max(since, observation.calmSince()) > GRACE)
            reportViolation(promise, count, run.runId(), what, observation.at());
        else open.put(key, since);
    }

    /** Reports each promise once for each run. */
    synchronized void reportViolation(int promise, Count count, String runId, String what, double at) {
        if (convicted.add(runId + "/" + promise)) violations.add(new Violation(promise, count, runId, what, at));
    }
}
