package dev.roost.chaos;

import dev.roost.chaos.promise.Violation;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * The result of a chaos session.
 *
 * @param skipped faults that this machine does not allow, each with the reason
 * @param kept the path of the kept home, if a promise was broken
 */
public record Verdict(
        long seed,
        double seconds,
        Map<Fault, Integer> faults,
        int runs,
        int ends,
        int notices,
        List<Violation> violations,
        List<String> timeline,
        Map<String, String> skipped,
        Optional<Path> kept) {

    public Verdict kept(Path home) {
        return new Verdict(
                seed, seconds, faults, runs, ends, notices, violations, timeline, skipped, Optional.of(home));
    }

    public boolean good() {
        return violations.isEmpty();
    }

    public long count(Violation.Count count) {
        return violations.stream().filter(one -> one.count() == count).count();
    }

    public int faultCount() {
        return faults.values().stream().mapToInt(Integer::intValue).sum();
    }

    public ObjectNode json() {
        var json = ChaosSession.params()
                .put("verdict", good() ? "kept" : "broken")
                .put("seed", seed)
                .put("seconds", Math.round(seconds * 10) / 10.0);
        var kinds = json.putObject("faults");
        new LinkedHashMap<>(faults).forEach((fault, count) -> kinds.put(fault.word(), count));
        json.put("runs", runs).put("ends", ends).put("notices", notices);
        json.put("lost", count(Violation.Count.LOST));
        json.put("doubled", count(Violation.Count.DOUBLED));
        json.put("orphans", count(Violation.Count.ORPHANS));
        json.put("lies", count(Violation.Count.LIES));
        var broken = json.putArray("violations");
        for (var one : violations)
            broken.addObject()
                    .put("promise", one.promise().number())
                    .put("run_id", one.run())
                    .put("what", one.what())
                    .put("at", Math.round(one.at() * 1000) / 1000.0);
        if (!good()) timeline.forEach(json.putArray("timeline")::add);
        var left = json.putObject("skipped");
        skipped.forEach(left::put);
        kept.ifPresent(home -> json.put("home", home.toString()));
        return json;
    }
}
