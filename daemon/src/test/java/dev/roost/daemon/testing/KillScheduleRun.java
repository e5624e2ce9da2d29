package dev.roost.daemon.testing;

import dev.roost.chaos.promise.Promise;
import dev.roost.chaos.promise.RunFact;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.JsonNode;

/** An accepted run of a schedule, and its possible ends. */
public final class KillScheduleRun {

    /** What agents do; those that wait end when their gate is opened. */
    public enum Kind {
        QUICK("echo done", "completed finished", "done\n"),
        FAILING("echo half; exit 3", "failed exit_code", "half\n"),
        TALKING(
                "for i in 1 2 3 4 5 6 7 8 9; do echo line $i; sleep 0.02; done",
                "completed finished",
                "line 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\nline 9\n"),
        WAITING("echo began; WAIT; echo opened", "completed finished", "began\nopened\n"),
        LEAVING_A_CHILD("sleep 1000 & WAIT; echo left it", "completed finished", "left it\n");

        private final String script;
        public final String end;
        public final String result;

        Kind(String script, String end, String result) {
            this.script = script;
            this.end = end;
            this.result = result;
        }

        boolean gated() {
            return script.contains("WAIT");
        }

        public String script(Path gate) {
            return "echo x >> \"$SCRATCH/count-$ROOST_RUN_ID\"; "
                    + script.replace("WAIT", "while [ ! -e %s ]; do sleep 0.1; done".formatted(gate));
        }
    }

    public final String run;
    public final Kind kind;
    public final Path gate;
    private final Set<String> causedByUs = ConcurrentHashMap.newKeySet();

    public KillScheduleRun(String run, Kind kind, Path gate) {
        this.run = run;
        this.kind = kind;
        this.gate = gate;
        if (!kind.gated()) mayEnd(kind.end);
    }

    public void mayEnd(String statusAndCause) {
        causedByUs.add(statusAndCause);
    }

    private Set<String> possible() {
        return Set.copyOf(causedByUs);
    }

    /** What Roost says of it: its details and its result. */
    public List<RunFact> facts(JsonNode shown, String result) {
        int attempt = shown.path("attempt").asInt();
        String status = shown.path("status").asString();
        var only = new RunFact.Amount(Promise.FIRST_END_WINS, run, "its attempt", attempt, 1, 1);
        if (!shown.has("ended_at")) return List.of(only, new RunFact.Reported(run, attempt, status, ""));
        String how = status + " " + shown.path("cause").asString();
        String end = "%s, %s, %s, %s".formatted(how, shown.path("evidence"), shown.path("ended_at"), result);
        boolean isWhole = how.equals(kind.end);
        String right =
                isWhole ? kind.result : kind.result.substring(0, Math.min(kind.result.length(), result.length()));
        return List.of(
                only,
                new RunFact.Reported(run, attempt, status, end),
                new RunFact.Notified(run, attempt, shown.path("notices").size(), true),
                new RunFact.Ended(run, attempt, how, possible()),
                new RunFact.Answer(Promise.ONE_TRUTH, run, "its result", result, right));
    }

    @Override
    public String toString() {
        return run + " (" + kind + ")";
    }
}
