package dev.roost.chaos;

import dev.roost.chaos.Violation.Count;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import tools.jackson.databind.JsonNode;

/** Ends all runs, and compares ledger, files and inboxes. */
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

    /** Stops all live runs. */
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
        refusedAndUnanswered();
        inboxes();
        checkForeignAccess();
        doctor();
    }

    /** Each row has a directory, and each directory a row. */
    private void rowsAndDirectories() {
        var rows = new HashSet<String>();
        inspector.latest().forEach(run -> rows.add(run.path("run_id").asString()));
        var directories = new HashSet<>(home.runDirectories());
        for (var id : rows)
            if (!directories.contains(id)) reportViolation(1, Count.LOST, id, "its directory is missing");
        for (var id : directories)
            if (!rows.contains(id)) reportViolation(1, Count.LIES, id, "a directory without a run");
    }

    /** A refused start has no run. A start without an answer has a complete run, or none. */
    private void refusedAndUnanswered() {
        var names = new HashSet<String>();
        inspector.latest().forEach(run -> names.add(run.path("name").asString()));
        for (var name : refused)
            if (names.contains(name)) reportViolation(1, Count.LIES, name, "its start was refused, but there is a run");
        for (var name : home.evidenceNames())
            if (!names.contains(name)) reportViolation(1, Count.LIES, name, "an agent ran, but there is no run");
    }

    /** 4 and 6: a silent owner's notices are still pending, one for each end; reading a run acknowledges its notice. */
    private void inboxes() {
        var silent = pending(Plan.SILENT_OWNER);
        for (var run : of(Plan.SILENT_OWNER)) {
            String id = run.path("run_id").asString();
            if (!silent.contains(id) || !run.path("unread").asBoolean())
                reportViolation(6, Count.LOST, id, "it was not read, but its notice is not pending");
        }
        String reader = Plan.OWNERS.getFirst();
        for (var run : of(reader)) {
            String id = run.path("run_id").asString();
            access.call(reader, "output", Inspector.params().put("run_id", id));
        }
        // the run counts as read after the reply was written, which is a moment later
        BoundedWait.awaitCondition(() -> pending(reader).isEmpty(), (long) (PromiseChecker.GRACE * 1000));
        for (var id : pending(reader))
            reportViolation(6, Count.LIES, id, "its owner read it, but its notice is still pending");
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

    /** 10: a run of another owner looks like one that does not exist. */
    private void checkForeignAccess() {
        String otherOwner = "chaos:stranger";
        var nothing = access.call(otherOwner, "show", Inspector.params().put("run_id", "r_000000000000"));
        for (var run :
                inspector.latest().subList(0, Math.min(20, inspector.latest().size()))) {
            String id = run.path("run_id").asString();
            var answer = access.call(otherOwner, "show", Inspector.params().put("run_id", id));
            if (!answer.code().equals(nothing.code()))
                reportViolation(10, Count.LIES, id, "another owner gets: " + answer.code());
        }
        for (var owner : Plan.OWNERS)
            for (var run : access.call(owner, "list", Inspector.params().put("filter", "all"))
                    .body()
                    .path("runs"))
                if (!run.path("owner").asString().equals(owner))
                    reportViolation(10, Count.LIES, run.path("run_id").asString(), owner + " sees it in the list");
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
