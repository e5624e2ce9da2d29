package dev.roost.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.DaemonFixture;
import dev.roost.daemon.testing.KillScheduleRun;
import dev.roost.daemon.testing.RunCookieScan;
import dev.roost.daemon.testing.SocketRpcClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Random days of a daemon that is killed and frozen at random moments: every promise holds at every step. */
class DaemonKillScheduleProcessTest extends DaemonFixture {

    static final boolean FULL = Boolean.getBoolean("roost.full");
    private static final int PER_OWNER = 3;
    private static final Duration LAG = Duration.ofSeconds(5);
    private static final List<KillScheduleRun.Kind> KINDS = List.of(KillScheduleRun.Kind.values());

    private final Queue<KillScheduleRun> fates = new ConcurrentLinkedQueue<>();
    private final Queue<String> diary = new ConcurrentLinkedQueue<>();
    private final List<Future<?>> waiting = new ArrayList<>();
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
            assertThat(answer.path("result").has("ended_at")).as("%s", answer).isTrue();
            try {
                assertThat(RunCookieScan.alive(home)).as("after its stop").doesNotContain(killScheduleRun.run);
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
        await().atMost(LAG)
                .untilAsserted(
                        () -> { // it counts once the answer was written out, so a moment later
                            var shown = show(killScheduleRun.run);
                            assertThat(shown.path("unread").asBoolean())
                                    .as("unread of %s", killScheduleRun)
                                    .isFalse();
                            assertThat(shown.path("notices").path(0).has("acknowledged_at"))
                                    .isTrue();
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

    private void look() throws Exception {
        diary.add("look");
        for (var killScheduleRun : fates) lookAt(killScheduleRun);
        noRowLies();
        for (var killScheduleRun : fates) lookAt(killScheduleRun);
    }

    private void lookAt(KillScheduleRun killScheduleRun) throws IOException {
        var shown = show(killScheduleRun.run); // accepted is durable
        if (!shown.has("ended_at")) {
            assertThat(killScheduleRun.end)
                    .as("%s had ended and is live again", killScheduleRun)
                    .isNull();
            return;
        }
        assertThat(shown.path("notices").size())
                .as("notices of %s", killScheduleRun)
                .isEqualTo(1);
        String how = shown.path("status").asString() + " " + shown.path("cause").asString();
        assertThat(killScheduleRun.possible())
                .as("possible ends of %s: %s", killScheduleRun, shown)
                .contains(how);
        var end = JSON.createObjectNode();
        for (var field : List.of("status", "cause", "evidence", "ended_at", "attempt"))
            end.set(field, shown.get(field));
        var output = call("output", operator().put("run_id", killScheduleRun.run));
        end.put("result", output.path("result").asString(""));
        if (killScheduleRun.end == null) killScheduleRun.end = end;
        assertThat(end).as("the end of %s is unchanged", killScheduleRun).isEqualTo(killScheduleRun.end);
        if (how.equals(killScheduleRun.kind.end)) {
            assertThat(end.path("result").asString())
                    .as("the result of %s", killScheduleRun)
                    .isEqualTo(killScheduleRun.kind.result);
        } else {
            assertThat(killScheduleRun.kind.result)
                    .as("the output of %s", killScheduleRun)
                    .startsWith(end.path("result").asString());
        }
    }

    private Set<String> running() throws IOException {
        var running = new HashSet<String>();
        for (var run : call("list", operator().put("filter", "all_active").put("limit", 1000))
                .path("runs")) {
            if (run.path("status").asString().equals("running"))
                running.add(run.path("run_id").asString());
        }
        return running;
    }

    /** Each running row has a process and each process a running row, after a short lag. */
    private void noRowLies() throws Exception {
        long deadline = System.nanoTime() + LAG.toNanos();
        while (true) {
            var before = running();
            assertThat(before).as("running runs of one owner").hasSizeLessThanOrEqualTo(PER_OWNER);
            var alive = RunCookieScan.alive(home);
            var still = running();
            still.retainAll(before);
            if (alive.containsAll(still) && before.containsAll(alive)) return;
            boolean late = System.nanoTime() > deadline;
            assertThat(late).as("running %s, but alive %s", still, alive).isFalse();
            Thread.sleep(5);
        }
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
        assertThat(RunCookieScan.alive(home)).as("left-over processes").isEmpty();
        assertThat(call("status", params()).path("live").asInt()).isZero();
        for (var run : all) {
            var count = scratch.resolve("count-" + run.path("run_id").asString());
            String lines = Files.exists(count) ? Files.readString(count) : "";
            assertThat(lines).as("starts of %s", run).isIn("", "x\n");
            var shown = show(run.path("run_id").asString());
            assertThat(shown.has("ended_at")).as("%s", shown).isTrue();
            assertThat(shown.path("notices").size()).as("%s", shown).isEqualTo(1);
        }
    }
}
