package dev.roost.cli.chaos;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;

/** Those who use Roost meanwhile: they start, look, read, stop and send, through the socket and as commands, all at once. */
final class Crowd {

    private static final int MOST = 40;
    private static final List<Plan.Verb> LOOKS =
            List.of(Plan.Verb.PS, Plan.Verb.SHOW, Plan.Verb.OUTPUT, Plan.Verb.INBOX, Plan.Verb.READ);

    private final AtomicInteger present = new AtomicInteger();
    private final Starter starter;
    private final Door door;
    private final Inspector inspector;
    private final Judge judge;
    private final Set<String> harmed;
    private final Timeline timeline;

    Crowd(Starter starter, Door door, Inspector inspector, Judge judge, Set<String> harmed, Timeline timeline) {
        this.starter = starter;
        this.door = door;
        this.inspector = inspector;
        this.judge = judge;
        this.harmed = harmed;
        this.timeline = timeline;
    }

    void beginSoon(Task task) {
        soon(() -> starter.begin(task));
    }

    void useSoon(Plan.Use use) {
        soon(() -> use(use));
    }

    /** Whoever finds too many there already goes away again. */
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

    /** Returns when nobody asks for anything any more; nobody's patience is longer. */
    void disperse() {
        Waiting.until(() -> present.get() == 0, 60_000);
    }

    private void use(Plan.Use use) {
        var all = inspector.latest();
        if (all.isEmpty()) return;
        // mostly the newest, which are listed first: the others have ended long ago
        var run = all.get(use.pick() % Math.min(all.size(), 30));
        String id = run.path("run_id").asString();
        String owner = as(run);
        switch (use.verb()) {
            case PS -> look(use, owner, "list", List.of("ps", "--all"));
            case SHOW -> look(use, owner, "show", List.of("show", id));
            case OUTPUT -> look(use, Door.OPERATOR, "output", List.of("output", id));
            case INBOX -> look(use, owner, "inbox", List.of("inbox"));
            case READ -> read(run);
            case STOP -> stop(use, run);
            case SEND -> send(use, run);
        }
    }

    private void look(Plan.Use use, String owner, String method, List<String> words) {
        if (use.byCommand()) {
            door.roost(owner, words);
            return;
        }
        var params = Inspector.params();
        if (words.size() == 2 && !method.equals("list")) params.put("run_id", words.get(1));
        door.ask(owner, method, params);
    }

    /** For the one who never reads, the operator looks, whose looks do not count as reading. */
    private static String as(JsonNode run) {
        String owner = run.path("owner").asString();
        return owner.equals(Plan.SILENT_OWNER) ? Door.OPERATOR : owner;
    }

    /** Its owner reads it, unless that one never reads. */
    private void read(JsonNode run) {
        String id = run.path("run_id").asString();
        String owner = run.path("owner").asString();
        if (owner.equals(Plan.SILENT_OWNER)) return;
        door.ask(owner, "output", Inspector.params().put("run_id", id));
    }

    private void stop(Plan.Use use, JsonNode run) {
        String id = run.path("run_id").asString();
        String owner = as(run);
        if (run.has("ended_at")) return;
        harmed.add(id);
        timeline.note("stop: " + id);
        if (use.byCommand()) {
            door.roost(owner, List.of("stop", id));
            return;
        }
        var answer = door.ask(owner, "stop", Inspector.params().put("run_id", id));
        if (answer.done() && !answer.body().has("ended_at"))
            judge.convict(2, Violation.Count.LIES, id, "its stop was answered before its end", timeline.now());
    }

    /** A command takes no messages, alive or dead: it is said, and nothing comes of it. */
    private void send(Plan.Use use, JsonNode run) {
        String id = run.path("run_id").asString();
        var answer = use.byCommand()
                ? door.roost(run.path("owner").asString(), List.of("send", id, "go on"))
                                .exit()
                        == 0
                : door.tell(
                                run.path("owner").asString(),
                                "send",
                                Inspector.params().put("run_id", id).put("message", "go on"))
                        .done();
        if (answer) judge.convict(3, Violation.Count.LIES, id, "a command was continued", timeline.now());
    }

    /** Twenty at once. */
    boolean come(int pick) {
        timeline.note("many_clients");
        for (int i = 0; i < 20; i++) {
            var verb = LOOKS.get(i % LOOKS.size());
            useSoon(new Plan.Use(verb, pick + i, i % 7 == 0));
        }
        return true;
    }
}
