package dev.roost.chaos;

import dev.roost.chaos.Violation.Count;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import tools.jackson.databind.JsonNode;

/** The end of it: every run is brought to its own, and the books are compared. */
final class FinalAudit {

    private final ChaosHome home;
    private final RoostAccess access;
    private final Inspector inspector;
    private final PromiseChecker checker;
    private final Set<String> refused;
    private final Set<String> harmed;
    private final ChaosTimeline chaosTimeline;

    FinalAudit(
            ChaosHome home,
            RoostAccess access,
            Inspector inspector,
            PromiseChecker checker,
            Set<String> refused,
            Set<String> harmed,
            ChaosTimeline chaosTimeline) {
        this.home = home;
        this.access = access;
        this.inspector = inspector;
        this.checker = checker;
        this.refused = refused;
        this.harmed = harmed;
        this.chaosTimeline = chaosTimeline;
    }

    /** Everybody who still works is stopped. */
    void stopAll() {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var run : inspector.latest()) {
                if (run.has("ended_at")) continue;
                String id = run.path("run_id").asString();
                harmed.add(id);
                threads.execute(() -> {
                    var stopped = access.call(
                            RoostAccess.OPERATOR, "stop", Inspector.params().put("run_id", id));
                    if (!stopped.done() || !stopped.body().has("ended_at"))
                        checker.reportViolation(
                                7, Count.LIES, id, "it cannot be stopped: " + stopped.message(), chaosTimeline.now());
                });
            }
        }
    }

    void compare() {
        rowsAndDirectories();
        unanswered();
        inboxes();
        checkForeignAccess();
        doctor();
    }

    /** No row without a directory, no directory without a row. */
    private void rowsAndDirectories() {
        var rows = new HashSet<String>();
        inspector.latest().forEach(run -> rows.add(run.path("run_id").asString()));
        var directories = new HashSet<>(home.runDirectories());
        for (var id : rows) if (!directories.contains(id)) reportViolation(1, Count.LOST, id, "its directory is gone");
        for (var id : directories)
            if (!rows.contains(id)) reportViolation(1, Count.LIES, id, "there is a directory, and no such run");
    }

    /** What was refused did not happen; what nobody answered for happened wholly or not at all. */
    private void unanswered() {
        var names = new HashSet<String>();
        inspector.latest().forEach(run -> names.add(run.path("name").asString()));
        for (var name : refused)
            if (names.contains(name)) reportViolation(1, Count.LIES, name, "it was refused, and there is a run");
        for (var name : home.evidenceNames())
            if (!names.contains(name)) reportViolation(1, Count.LIES, name, "an agent ran, and there is no run");
    }

    /** 4 and 6: each end of one who never reads still waits for it, once; what an owner reads, it has read. */
    private void inboxes() {
        var silent = pending(Plan.SILENT_OWNER);
        for (var run : of(Plan.SILENT_OWNER)) {
            String id = run.path("run_id").asString();
            if (!silent.contains(id) || !run.path("unread").asBoolean())
                reportViolation(6, Count.LOST, id, "nobody read it, and its notice does not wait any more");
        }
        String reader = Plan.OWNERS.getFirst();
        for (var run : of(reader)) {
            String id = run.path("run_id").asString();
            access.call(reader, "output", Inspector.params().put("run_id", id));
        }
        // it is noted as read once the reply was written out, so a moment later
        BoundedWait.awaitCondition(() -> pending(reader).isEmpty(), (long) (PromiseChecker.GRACE * 1000));
        for (var id : pending(reader))
            reportViolation(6, Count.LIES, id, "its owner read it, and its notice still waits");
    }

    private List<JsonNode> of(String owner) {
        return inspector.latest().stream()
                .filter(run -> run.path("owner").asString().equals(owner))
                .toList();
    }

    private Set<String> pending(String owner) {
        var pending = new HashSet<String>();
        for (var notice : access.call(owner, "inbox", Inspector.params()).body().path("notices")) {
            if (!notice.path("kind").asString().equals("ended")) continue;
            String id = notice.path("run_id").asString();
            if (!pending.add(id)) reportViolation(4, Count.DOUBLED, id, "its end is twice in the inbox of " + owner);
            if (!notice.path("owner").asString().equals(owner))
                reportViolation(10, Count.LIES, id, "its notice is in the inbox of " + owner);
        }
        return pending;
    }

    /** 10: somebody else's run is as one that does not exist. */
    private void checkForeignAccess() {
        String stranger = "chaos:stranger";
        var nothing = access.call(stranger, "show", Inspector.params().put("run_id", "r_000000000000"));
        for (var run :
                inspector.latest().subList(0, Math.min(20, inspector.latest().size()))) {
            String id = run.path("run_id").asString();
            var answer = access.call(stranger, "show", Inspector.params().put("run_id", id));
            if (!answer.code().equals(nothing.code()))
                reportViolation(10, Count.LIES, id, "a stranger is told: " + answer.code());
        }
        for (var owner : Plan.OWNERS)
            for (var run : access.call(owner, "list", Inspector.params().put("filter", "all"))
                    .body()
                    .path("runs"))
                if (!run.path("owner").asString().equals(owner))
                    reportViolation(10, Count.LIES, run.path("run_id").asString(), owner + " has it in the list");
    }

    private void doctor() {
        for (JsonNode finding : access.call(RoostAccess.OPERATOR, "doctor", Inspector.params())
                .body()
                .path("findings"))
            if (finding.path("level").asString().equals("bad"))
                reportViolation(
                        2, Count.LIES, "", "doctor: " + finding.path("message").asString());
    }

    private void reportViolation(int promise, Count count, String runId, String what) {
        checker.reportViolation(promise, count, runId, what, chaosTimeline.now());
    }
}
