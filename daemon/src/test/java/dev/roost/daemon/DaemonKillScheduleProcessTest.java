package dev.roost.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.chaos.promise.Promise;
import dev.roost.chaos.promise.PromiseChecker;
import dev.roost.chaos.promise.RunFact;
import dev.roost.chaos.promise.RunObservation;
import dev.roost.daemon.testing.DaemonFixture;
import dev.roost.daemon.testing.KillScheduleRun;
import dev.roost.daemon.testing.RunCookieScan;
import dev.roost.daemon.testing.SocketRpcClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Random days of a daemon that is killed and frozen at random moments: every promise holds at every step. */
class DaemonKillScheduleProcessTest extends DaemonFixture {

    static final boolean FULL = Boolean.getBoolean("roost.full");
    private static final int PER_OWNER = 3;
    private static final List<KillScheduleRun.Kind> KINDS = List.of(KillScheduleRun.Kind.values());

    private final Queue<KillScheduleRun> fates = new ConcurrentLinkedQueue<>();
    private final Queue<String> diary = new ConcurrentLinkedQueue<>();
    private final List<Future<?>> waiting = new ArrayList<>();
    private PromiseChecker checker = new PromiseChecker();
    private Random random = new Random(0);
    private int gates;

    int usually() {
        return FULL ? 20 : 5;
    }

    @Override
    public Map<String, String> settings() {
        return Map.of("ROOST_MAX_LIVE", "4", "ROOST_MAX_LIVE_PER_OWNER", Integer.toString(PER_OWNER));
    }

    @Test
    void killing_the_daemon_at_any_moment_breaks_no_promise() {
        long first = Long.getLong("roost.seed", 1);
        int count = Integer.getInteger("roost.schedules", System.getProperty("roost.seed") == null ? usually() : 1);
        for (long seed = first; seed < first + count; seed++) {
            random = new Random(seed * 0x9E3779B97F4A7C15L);
            fates.clear();
            diary.clear();
            checker = new PromiseChecker();
            try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
                play(callers);
            } catch (Exception | AssertionError e) {
                throw new AssertionError(
                        "seed %d broke a promise (replay with -Droost.seed=%d):\n  %s"
                                .formatted(seed, seed, String.join("\n  ", diary)),
                        e);
            }
        }
    }

    private void play(ExecutorService callers) throws Exception {
        int steps = 7 + random.nextInt(4);
        for (int i = 0; i < steps; i++) {
            int dice = random.nextInt(100);
            if (dice < 30 || fates.isEmpty()) submit(anyKind(), random.nextInt(1000));
            else if (dice < 42) stop(callers);
            else if (dice < 60) happen();
            else if (dice < 70) readAndAcknowledge();
            else if (dice < 80) freeze(callers);
            else dieWhileAsked(callers);
            look();
        }
        finish();
    }

    private KillScheduleRun.Kind anyKind() {
        return KINDS.get(random.nextInt(KINDS.size()));
    }

    private KillScheduleRun any() {
        return List.copyOf(fates).get(random.nextInt(fates.size()));
    }

    private void submit(KillScheduleRun.Kind kind, int n) throws IOException {
        submit(rpc(), kind, scratch.resolve("gate-%d-%d".formatted(gates++, n)));
    }

    private void submit(SocketRpcClient client, KillScheduleRun.Kind kind, Path gate) throws IOException {
        var answer = client.exchange("start", task("sh", "-c", kind.script(gate)));
        var run = answer.path("result").path("run_id").asString("");
        assertThat(run).as("%s", answer).isNotEmpty();
        var killScheduleRun = new KillScheduleRun(run, kind, gate);
        fates.add(killScheduleRun);
        see(new RunFact.Accepted(run));
        diary.add("submit " + killScheduleRun);
    }

    /** Sends the request on a connection of its own, which the daemon's death may close; it may have been accepted. */
    private void stop(ExecutorService callers) {
        var killScheduleRun = any();
        diary.add("stop " + killScheduleRun);
        killScheduleRun.mayEnd("canceled_by_user stopped");
        waiting.add(callers.submit(() -> {
            JsonNode answer;
            try (var client = new SocketRpcClient(home)) {
                answer = client.exchange("stop", operator().put("run_id", killScheduleRun.run));
            } catch (IOException e) {
                return; // no daemon, or no more
            }
            boolean ended = answer.path("result").has("ended_at");
            try {
                boolean alive = RunCookieScan.alive(home).contains(killScheduleRun.run);
                see(
                        answer(Promise.ONE_TRUTH, killScheduleRun.run, "its reply to a stop is an end", ended, true),
                        answer(Promise.NO_ORPHANS, killScheduleRun.run, "it is alive after its stop", alive, false));
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }));
    }

    /** Kills or ends a run's processes, with or without a running daemon. */
    private void happen() throws Exception {
        var killScheduleRun = any();
        if (random.nextInt(3) == 0) open(killScheduleRun);
        else if (random.nextBoolean()) kill(killScheduleRun, "agent_pid", "failed signal");
        else kill(killScheduleRun, "perch_pid", "abandoned perch_lost");
    }

    private void open(KillScheduleRun killScheduleRun) throws IOException {
        diary.add("open the gate of " + killScheduleRun);
        killScheduleRun.mayEnd(killScheduleRun.kind.end);
        if (!Files.exists(killScheduleRun.gate)) Files.createFile(killScheduleRun.gate);
    }

    private void kill(KillScheduleRun killScheduleRun, String who, String end) throws Exception {
        var start = home.resolve("runs").resolve(killScheduleRun.run).resolve("1/start");
        if (!Files.exists(start) || !RunCookieScan.alive(home).contains(killScheduleRun.run)) return;
        long pid = JSON.readTree(Files.readString(start)).path(who).asLong();
        if (!alive(pid)) return;
        diary.add("kill the %s of %s".formatted(who, killScheduleRun));
        killScheduleRun.mayEnd(end);
        signal("KILL", pid);
    }

    private static void signal(String name, long pid) throws Exception {
        new ProcessBuilder("sh", "-c", "kill -%s %d 2>/dev/null".formatted(name, pid))
                .start()
                .waitFor();
    }

    private void readAndAcknowledge() throws IOException {
        var killScheduleRun = any();
        diary.add("read and acknowledge " + killScheduleRun);
        boolean ended =
                call("output", params().put("run_id", killScheduleRun.run)).has("ended_at");
        if (!ended) return;
        settle(
                () -> { // it counts once the answer was written out, so a moment later
                    var shown = show(killScheduleRun.run);
                    boolean read = !shown.path("unread").asBoolean()
                            && shown.path("notices").path(0).has("acknowledged_at");
                    return List.of(new RunFact.Lag(answer(
                            Promise.READING_DESTROYS_NOTHING,
                            killScheduleRun.run,
                            "its end counts as read",
                            read,
                            true)));
                });
    }

    private void freeze(ExecutorService callers) throws Exception {
        diary.add("freeze the daemon");
        signal("STOP", daemon.pid());
        try {
            for (int i = 0; i < 2; i++) if (!fates.isEmpty()) happen();
            if (random.nextBoolean()) stop(callers);
            Thread.sleep(random.nextInt(60));
        } finally {
            if (random.nextInt(3) == 0) die();
            else signal("CONT", daemon.pid());
            diary.add("thaw it");
        }
    }

    private void die() throws Exception {
        diary.add("kill the daemon");
        kill9();
        if (random.nextBoolean()) happen();
        daemon = start();
        diary.add("the daemon is back");
    }

    /** Kills the daemon during requests; answered requests stay valid. */
    private void dieWhileAsked(ExecutorService callers) throws Exception {
        int wishes = random.nextInt(4);
        var kinds = new ArrayList<KillScheduleRun.Kind>();
        for (int i = 0; i < wishes; i++) kinds.add(anyKind());
        int turn = gates++;
        var asking = callers.submit(() -> {
            try (var client = new SocketRpcClient(home)) {
                for (int i = 0; i < wishes; i++)
                    submit(client, kinds.get(i), scratch.resolve("gate-%d-wish-%d".formatted(turn, i)));
            } catch (IOException e) {
                diary.add("cut off");
            }
        });
        if (!fates.isEmpty() && random.nextInt(3) == 0) stop(callers);
        Thread.sleep(random.nextInt(40)); // the moment of death is part of the schedule
        diary.add("kill the daemon");
        kill9();
        asking.get(20, TimeUnit.SECONDS);
        if (!fates.isEmpty() && random.nextBoolean()) happen();
        daemon = start();
        diary.add("the daemon is back");
    }

    private interface Sight {
        List<RunFact> facts() throws IOException;
    }

    private static double now() {
        return System.nanoTime() / 1e9;
    }

    private void see(RunFact... facts) {
        checker.see(now(), facts);
        assertThat(checker.violations()).isEmpty();
    }

    private static RunFact answer(Promise promise, String run, String question, Object answer, Object right) {
        return new RunFact.Answer(promise, run, question, answer.toString(), right.toString());
    }

    /** Looks until nothing may lag any more. */
    private void settle(Sight sight) throws IOException {
        double began = now();
        for (double at = began; !checker.check(new RunObservation(at, began, sight.facts())); at = now()) {
            assertThat(checker.violations()).isEmpty();
            LockSupport.parkNanos(5_000_000);
        }
        assertThat(checker.violations()).isEmpty();
    }

    private void look() throws Exception {
        diary.add("look");
        settle(this::observe);
    }

    private List<RunFact> observe() throws IOException {
        var facts = new ArrayList<RunFact>();
        var ids = new HashSet<String>();
        int running = 0;
        for (var run :
                call("list", operator().put("filter", "all").put("limit", 1000)).path("runs")) {
            String id = run.path("run_id").asString();
            String status = run.path("status").asString();
            ids.add(id);
            if (fates.stream().noneMatch(one -> one.run.equals(id)))
                facts.add(new RunFact.Reported(id, run.path("attempt").asInt(), status, ""));
            if (status.equals("running")) running++;
        }
        facts.add(new RunFact.Listed(ids, false)); // a start without an answer may have a run
        facts.add(new RunFact.Amount(Promise.BOUNDED, "", "running runs of one owner", running, PER_OWNER));
        for (var one : fates) {
            var shown = show(one.run); // before its output, which is whole once it has ended
            var output = call("output", operator().put("run_id", one.run));
            facts.addAll(one.facts(shown, output.path("result").asString("")));
        }
        var alive = RunCookieScan.alive(home);
        ids.addAll(alive);
        for (var id : ids) facts.add(new RunFact.Processes(id, alive.contains(id) ? List.of(id) : List.of()));
        return facts;
    }

    private void finish() throws Exception {
        diary.add("stop all");
        for (var killScheduleRun : fates) killScheduleRun.mayEnd("canceled_by_user stopped");
        var all =
                call("list", operator().put("filter", "all").put("limit", 200)).path("runs");
        for (var run : all)
            call("stop", operator().put("run_id", run.path("run_id").asString()));
        for (var caller : waiting) caller.get(20, TimeUnit.SECONDS);
        waiting.clear();
        look();
        see(
                answer(Promise.NO_ORPHANS, "", "left-over processes", RunCookieScan.alive(home), Set.of()),
                answer(
                        Promise.NO_ROW_LIES,
                        "",
                        "live runs",
                        call("status", params()).path("live").asInt(),
                        0));
        for (var run : all) {
            String id = run.path("run_id").asString();
            var count = scratch.resolve("count-" + id);
            String lines = Files.exists(count) ? Files.readString(count) : "";
            var shown = show(id);
            see(
                    answer(Promise.FIRST_END_WINS, id, "its starts", lines, lines.isEmpty() ? "" : "x\n"),
                    answer(Promise.NO_ROW_LIES, id, "it has ended", shown.has("ended_at"), true),
                    new RunFact.Notified(
                            id,
                            shown.path("attempt").asInt(),
                            shown.path("notices").size(),
                            true));
        }
    }
}
