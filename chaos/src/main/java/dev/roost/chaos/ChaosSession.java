package dev.roost.chaos;

import dev.roost.chaos.promise.PromiseChecker;
import dev.roost.chaos.promise.RunFact;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What all parts of one chaos session share: its home, the way to Roost, the checker and a log with times. Thread-safe. */
final class ChaosSession {

    static final JsonMapper JSON = new JsonMapper();

    final ChaosHome home;
    final RoostAccess access;
    final PromiseChecker checker = new PromiseChecker();

    /** The runs that a fault has hit. */
    final Set<String> harmed = ConcurrentHashMap.newKeySet();

    /** The names of starts that Roost refused. */
    final Set<String> refused = ConcurrentHashMap.newKeySet();

    private final long began = System.nanoTime();
    private final List<String> timeline = new ArrayList<>();

    ChaosSession(ChaosHome home, RoostAccess access) {
        this.home = home;
        this.access = access;
    }

    /** Seconds since chaos began. */
    double now() {
        return (System.nanoTime() - began) / 1e9;
    }

    synchronized void note(String what) {
        timeline.add(String.format(Locale.ROOT, "%8.3f  %s", now(), what));
    }

    synchronized List<String> timeline() {
        return List.copyOf(timeline);
    }

    void see(RunFact... facts) {
        checker.see(now(), facts);
    }

    RoostAccess.CallResult call(String owner, String method) {
        return access.call(owner, method, params());
    }

    RoostAccess.CallResult call(String owner, String method, String run) {
        return access.call(owner, method, params(run));
    }

    static ObjectNode params() {
        return JSON.createObjectNode();
    }

    static ObjectNode params(String run) {
        return params().put("run_id", run);
    }
}
