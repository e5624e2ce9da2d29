package dev.roost.chaos;

import dev.roost.chaos.promise.Promise;
import dev.roost.chaos.promise.RunFact;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Simulates concurrent clients: they start, read, stop and send, through the socket and by commands. */
final class ClientLoad {

    private static final int MOST = 40;
    private static final List<Plan.Verb> LOOKS =
            List.of(Plan.Verb.PS, Plan.Verb.SHOW, Plan.Verb.OUTPUT, Plan.Verb.INBOX, Plan.Verb.READ);

    private final AtomicInteger present = new AtomicInteger();
    private final ChaosSession session;
    private final RunStarter starter;
    private final Inspector inspector;

    ClientLoad(ChaosSession session, Inspector inspector) {
        this.session = session;
        this.starter = new RunStarter(session);
        this.inspector = inspector;
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
        String id = Inspector.id(run);
        String owner = run.path("owner").asString();
        boolean silent = owner.equals(Plan.SILENT_OWNER); // for it the operator reads, which does not count
        String reader = silent ? RoostAccess.OPERATOR : owner;
        switch (use.verb()) {
            case PS -> query(use, reader, "list", List.of("ps", "--all"));
            case SHOW -> query(use, reader, "show", List.of("show", id));
            case OUTPUT -> query(use, RoostAccess.OPERATOR, "output", List.of("output", id));
            case INBOX -> query(use, reader, "inbox", List.of("inbox"));
            case READ -> {
                if (!silent) session.call(owner, "output", id);
            }
            case STOP -> {
                if (!run.has("ended_at")) stop(use, id, reader);
            }
            case SEND -> send(use, id, owner);
        }
    }

    /** Calls a read-only method, by command or directly. */
    private void query(Plan.PlannedCall use, String owner, String method, List<String> words) {
        if (use.byCommand()) session.access.roost(owner, words);
        else if (words.size() == 2 && !method.equals("list")) session.call(owner, method, words.get(1));
        else session.call(owner, method);
    }

    private void stop(Plan.PlannedCall use, String id, String owner) {
        session.harmed.add(id);
        session.note("stop: " + id);
        if (use.byCommand()) {
            session.access.roost(owner, List.of("stop", id));
            return;
        }
        var answer = session.call(owner, "stop", id);
        String end = answer.body().has("ended_at") ? "its end" : "no end";
        if (answer.done())
            session.see(new RunFact.Answer(Promise.ONE_TRUTH, id, "the reply to its stop", end, "its end"));
    }

    /** Sends to a command, which must be refused: a command takes no messages. */
    private void send(Plan.PlannedCall use, String id, String owner) {
        var message = ChaosSession.params(id).put("message", "go on");
        boolean taken = use.byCommand()
                ? session.access.roost(owner, List.of("send", id, "go on")).exit() == 0
                : session.access.callOnce(owner, "send", message).done();
        session.see(new RunFact.Answer(
                Promise.FIRST_END_WINS, id, "a message to a command", taken ? "taken" : "refused", "refused"));
    }

    /** Makes twenty calls at once. */
    boolean startBurst(int pick) {
        session.note("many_clients");
        for (int i = 0; i < 20; i++) {
            var verb = LOOKS.get(i % LOOKS.size());
            useSoon(new Plan.PlannedCall(verb, pick + i, i % 7 == 0));
        }
        return true;
    }
}
