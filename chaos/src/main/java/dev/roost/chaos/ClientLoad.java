package dev.roost.chaos;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;

/** Simulates concurrent clients: they start, read, stop and send, through the socket and by commands. */
final class ClientLoad {

    private static final int MOST = 40;
    private static final List<Plan.Verb> LOOKS =
            List.of(Plan.Verb.PS, Plan.Verb.SHOW, Plan.Verb.OUTPUT, Plan.Verb.INBOX, Plan.Verb.READ);

    private final AtomicInteger present = new AtomicInteger();
    private final RunStarter starter;
    private final RoostAccess access;
    private final Inspector inspector;
    private final PromiseChecker checker;
    private final Set<String> harmed;
    private final ChaosTimeline chaosTimeline;

    ClientLoad(
            RunStarter starter,
            RoostAccess access,
            Inspector inspector,
            PromiseChecker checker,
            Set<String> harmed,
            ChaosTimeline chaosTimeline) {
        this.starter = starter;
        this.access = access;
        this.inspector = inspector;
        this.checker = checker;
        this.harmed = harmed;
        this.chaosTimeline = chaosTimeline;
    }

    void beginSoon(PlannedRun task) {
        soon(() -> starter.begin(task));
    }

    void useSoon(Plan.PlannedCall use) {
        soon(() -> use(use));
    }

    /** Does nothing if too many clients are active. */
    private void soon(Runnable what) {
        if (present.get() >= MOST) return;
        present.incrementAndGet();
        Thread.startVirtualThread(() -> {
            try {
                what.run();
            } finally {
                present.decrementAndGet();
            }
        });
    }

    /** Waits until all clients are done; each has a shorter timeout. */
    void awaitIdle() {
        BoundedWait.awaitCondition(() -> present.get() == 0, 60_000);
    }

    private void use(Plan.PlannedCall use) {
        var all = inspector.latest();
        if (all.isEmpty()) return;
        // mostly the newest runs, which are listed first; older ones have ended long ago
        var run = all.get(use.pick() % Math.min(all.size(), 30));
        String id = run.path("run_id").asString();
        String owner = as(run);
        switch (use.verb()) {
            case PS -> query(use, owner, "list", List.of("ps", "--all"));
            case SHOW -> query(use, owner, "show", List.of("show", id));
            case OUTPUT -> query(use, RoostAccess.OPERATOR, "output", List.of("output", id));
            case INBOX -> query(use, owner, "inbox", List.of("inbox"));
            case READ -> read(run);
            case STOP -> stop(use, run);
            case SEND -> send(use, run);
        }
    }

    /** Calls a read-only method, by command or directly. */
    private void query(Plan.PlannedCall use, String owner, String method, List<String> words) {
        if (use.byCommand()) {
            access.roost(owner, words);
            return;
        }
        var params = Inspector.params();
        if (words.size() == 2 && !method.equals("list")) params.put("run_id", words.get(1));
        access.call(owner, method, params);
    }

    /** For the silent owner the operator reads, because reading as the operator does not count. */
    private static String as(JsonNode run) {
        String owner = run.path("owner").asString();
        return owner.equals(Plan.SILENT_OWNER) ? RoostAccess.OPERATOR : owner;
    }

    /** Reads as the run's owner, except for the silent owner. */
    private void read(JsonNode run) {
        String id = run.path("run_id").asString();
        String owner = run.path("owner").asString();
        if (owner.equals(Plan.SILENT_OWNER)) return;
        access.call(owner, "output", Inspector.params().put("run_id", id));
    }

    private void stop(Plan.PlannedCall use, JsonNode run) {
        String id = run.path("run_id").asString();
        String owner = as(run);
        if (run.has("ended_at")) return;
        harmed.add(id);
        chaosTimeline.note("stop: " + id);
        if (use.byCommand()) {
            access.roost(owner, List.of("stop", id));
            return;
        }
        var answer = access.call(owner, "stop", Inspector.params().put("run_id", id));
        if (answer.done() && !answer.body().has("ended_at"))
            checker.reportViolation(
                    2, Violation.Count.LIES, id, "its stop was answered before its end", chaosTimeline.now());
    }

    /** Sends to a command, which must be refused: a command takes no messages. */
    private void send(Plan.PlannedCall use, JsonNode run) {
        String id = run.path("run_id").asString();
        var answer = use.byCommand()
                ? access.roost(run.path("owner").asString(), List.of("send", id, "go on"))
                                .exit()
                        == 0
                : access.callOnce(
                                run.path("owner").asString(),
                                "send",
                                Inspector.params().put("run_id", id).put("message", "go on"))
                        .done();
        if (answer)
            checker.reportViolation(3, Violation.Count.LIES, id, "a command was continued", chaosTimeline.now());
    }

    /** Makes twenty calls at once. */
    boolean startBurst(int pick) {
        chaosTimeline.note("many_clients");
        for (int i = 0; i < 20; i++) {
            var verb = LOOKS.get(i % LOOKS.size());
            useSoon(new Plan.PlannedCall(verb, pick + i, i % 7 == 0));
        }
        return true;
    }
}
