package dev.roost.chaos;

import dev.roost.chaos.promise.Promise;
import dev.roost.chaos.promise.PromiseChecker;
import dev.roost.chaos.promise.RunFact;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/** Ends all runs, and compares ledger, files and inboxes. */
final class FinalAudit {

    private final ChaosSession session;
    private final Inspector inspector;

    FinalAudit(ChaosSession session, Inspector inspector) {
        this.session = session;
        this.inspector = inspector;
    }

    /** Stops all live runs. */
    void stopAll() {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var run : inspector.latest()) {
                if (run.has("ended_at")) continue;
                String id = Inspector.id(run);
                session.harmed.add(id);
                threads.execute(() -> {
                    var stopped = session.call(RoostAccess.OPERATOR, "stop", id);
                    boolean ended = stopped.done() && stopped.body().has("ended_at");
                    session.see(new RunFact.Answer(
                            Promise.NO_ROW_LIES,
                            id,
                            "the reply to its stop",
                            ended ? "its end" : stopped.message(),
                            "its end"));
                });
            }
        }
    }

    void compare() {
        var names = inspector.latest().stream()
                .collect(Collectors.toMap(run -> run.path("name").asString(), Inspector::id, (first, _) -> first));
        session.see(new RunFact.Traced("a directory", Set.copyOf(session.home.runDirectories()), true));
        session.see(new RunFact.Traced(
                "an agent's log",
                session.home.evidenceNames().stream()
                        .map(name -> names.getOrDefault(name, name))
                        .collect(Collectors.toSet()),
                false));
        for (var name : session.refused)
            session.see(new RunFact.Amount(
                    Promise.ACCEPTED_IS_DURABLE, name, "runs of a refused start", names.containsKey(name) ? 1 : 0, 0));
        inboxes();
        foreignAccess();
        for (var finding : session.call(RoostAccess.OPERATOR, "doctor").body().path("findings"))
            if (finding.path("level").asString().equals("bad"))
                session.see(new RunFact.Answer(
                        Promise.ONE_TRUTH, "", "doctor", finding.path("message").asString(), "in order"));
    }

    /** A silent owner's notices are still pending, one for each end; reading a run acknowledges its notice. */
    private void inboxes() {
        var silent = pending(Plan.SILENT_OWNER);
        for (var run : inspector.latest()) {
            if (!run.path("owner").asString().equals(Plan.SILENT_OWNER)) continue;
            boolean waits =
                    silent.containsKey(Inspector.id(run)) && run.path("unread").asBoolean();
            session.see(pendingEnds(Inspector.id(run), "an end that was not read", waits ? 1 : 0, 1));
        }
        String reader = Plan.OWNERS.getFirst();
        for (var run : inspector.latest())
            if (run.path("owner").asString().equals(reader)) session.call(reader, "output", Inspector.id(run));
        // the run counts as read after the reply was written, which is a moment later
        BoundedWait.awaitCondition(() -> pending(reader).isEmpty(), (long) (PromiseChecker.GRACE * 1000));
        pending(reader).keySet().forEach(id -> session.see(pendingEnds(id, "an end that was read", 1, 0)));
    }

    private static RunFact pendingEnds(String run, String what, int count, int right) {
        return new RunFact.Amount(
                Promise.READING_DESTROYS_NOTHING, run, "pending notices of " + what, count, right, right);
    }

    private Map<String, Integer> pending(String owner) {
        var pending = new HashMap<String, Integer>();
        for (var notice : session.call(owner, "inbox").body().path("notices")) {
            if (!notice.path("kind").asString().equals("ended")) continue;
            String id = Inspector.id(notice);
            int count = pending.merge(id, 1, Integer::sum);
            session.see(new RunFact.Amount(Promise.ONE_COMMIT, id, "its end in the inbox of " + owner, count, 1));
            session.see(new RunFact.Answer(
                    Promise.YOURS_IS_YOURS,
                    id,
                    "the owner of a notice",
                    notice.path("owner").asString(),
                    owner));
        }
        return pending;
    }

    /** A run of another owner looks like one that does not exist. */
    private void foreignAccess() {
        String stranger = "chaos:stranger";
        String nothing = session.call(stranger, "show", "r_000000000000").code();
        inspector.latest().stream()
                .limit(20)
                .map(Inspector::id)
                .forEach(id -> session.see(new RunFact.Answer(
                        Promise.YOURS_IS_YOURS,
                        id,
                        "what another owner gets",
                        session.call(stranger, "show", id).code(),
                        nothing)));
        for (var owner : Plan.OWNERS)
            for (var run : session.access
                    .call(owner, "list", ChaosSession.params().put("filter", "all"))
                    .body()
                    .path("runs"))
                session.see(new RunFact.Answer(
                        Promise.YOURS_IS_YOURS,
                        Inspector.id(run),
                        "the owner of a run in the list of " + owner,
                        run.path("owner").asString(),
                        owner));
    }
}
