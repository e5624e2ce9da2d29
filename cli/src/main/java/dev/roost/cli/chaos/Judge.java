package dev.roost.cli.chaos;

import dev.roost.cli.chaos.Violation.Count;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compares what was seen with what is promised. It asks nobody and waits for nothing. Many threads may tell it things. */
final class Judge {

    /** How long the promises allow for settling. */
    static final double GRACE = 5;

    private final Map<String, Double> accepted = new LinkedHashMap<>();
    private final Map<String, String> ends = new HashMap<>();
    private final Map<String, Double> suspects = new HashMap<>();
    private final Set<String> convicted = new HashSet<>();
    private final List<Violation> violations = new ArrayList<>();

    /** Somebody was told this id; a look that had begun before need not have it. */
    synchronized void accepted(String runId, double at) {
        accepted.put(runId, at);
    }

    synchronized List<Violation> violations() {
        return List.copyOf(violations);
    }

    /** Looks at everything; true if nothing has to be looked at again. */
    synchronized boolean look(Look look) {
        var open = new HashMap<String, Double>();
        var present = new HashSet<String>();
        for (var run : look.runs()) {
            present.add(run.runId());
            end(look, run);
            process(look, run, open);
            run.closer().ifPresent(closer -> closer(look, run, closer, open));
        }
        // 1: accepted is durable
        accepted.forEach((id, at) -> {
            if (at < look.at() && !present.contains(id))
                convict(1, Count.LOST, id, "it was accepted and is not found", look.at());
        });
        suspects.keySet().retainAll(open.keySet());
        return open.isEmpty();
    }

    /** 3: an end never changes. */
    private void end(Look look, Look.Seen run) {
        String key = run.runId() + "/" + run.attempt();
        String before = ends.get(key);
        if (before != null && !before.equals(run.end()))
            convict(
                    3,
                    Count.LIES,
                    run.runId(),
                    "its end was \"%s\" and is now \"%s\"".formatted(before, run.ended() ? run.end() : run.status()),
                    look.at());
        else if (run.ended()) ends.put(key, run.end());
    }

    /** 7: nothing is running without a process. */
    private void process(Look look, Look.Seen run, Map<String, Double> open) {
        if (run.status().equals("running") && !run.alive())
            suspect(7, Count.LIES, run, "it is called running and has no process", look, open);
    }

    private void closer(Look look, Look.Seen run, Look.Closer closer, Map<String, Double> open) {
        // an attempt is one process, and a command has one attempt
        if (closer.evidence().starts().size() > 1)
            convict(
                    3,
                    Count.DOUBLED,
                    run.runId(),
                    "it was executed %d times"
                            .formatted(closer.evidence().starts().size()),
                    look.at());
        // 4: an end and its notice are one
        long told = closer.notices().stream().filter(n -> n == run.attempt()).count();
        if (!run.ended() && told > 0)
            convict(4, Count.LIES, run.runId(), "a notice of its end is there before the end", look.at());
        if (!run.ended()) return;
        if (told == 0) convict(4, Count.LOST, run.runId(), "it ended without a notice", look.at());
        if (told > 1) convict(4, Count.DOUBLED, run.runId(), "its end has %d notices".formatted(told), look.at());
        well(look, run, closer);
        // 2: one truth. The readable file follows the commit.
        closer.surfaces().forEach((surface, status) -> {
            if (!status.equals(run.status()))
                suspect(
                        2,
                        Count.LIES,
                        run,
                        "%s says \"%s\", the list \"%s\"".formatted(surface, status, run.status()),
                        look,
                        open);
        });
        // 8: no orphans
        if (!closer.left().isEmpty()) suspect(8, Count.ORPHANS, run, "it ended, and left " + closer.left(), look, open);
        // 9: no work thrown away
        if (!closer.workKept()) suspect(9, Count.LOST, run, "what it wrote into its worktree is nowhere", look, open);
    }

    /** 5: dead is not done; and what was done, undisturbed, is not called dead. */
    private void well(Look look, Look.Seen run, Look.Closer closer) {
        var end = closer.evidence().end();
        boolean done = run.status().startsWith("completed");
        if (done && (end.isEmpty() || end.getAsInt() != 0))
            convict(
                    5,
                    Count.LIES,
                    run.runId(),
                    "it is called %s, and its agent %s"
                            .formatted(
                                    run.status(), end.isEmpty() ? "never finished" : "exited with " + end.getAsInt()),
                    look.at());
        if (closer.harmed() || end.isEmpty()) return;
        String due = end.getAsInt() == 0 ? "completed" : "failed";
        if (!run.status().startsWith(due))
            convict(
                    5,
                    Count.LOST,
                    run.runId(),
                    "nobody touched it, its agent exited with %d, and it is called %s"
                            .formatted(end.getAsInt(), run.end()),
                    look.at());
    }

    private void suspect(int promise, Count count, Look.Seen run, String what, Look look, Map<String, Double> open) {
        String key = run.runId() + "/" + promise;
        if (convicted.contains(key)) return;
        double since = suspects.computeIfAbsent(key, _ -> look.at());
        if (look.at() - Math.max(since, look.calmSince()) > GRACE)
            convict(promise, count, run.runId(), what, look.at());
        else open.put(key, since);
    }

    /** Each run breaks each promise once. */
    synchronized void convict(int promise, Count count, String runId, String what, double at) {
        if (convicted.add(runId + "/" + promise)) violations.add(new Violation(promise, count, runId, what, at));
    }
}
