package dev.roost.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.DaemonFixture;
import dev.roost.testing.RoostCommandLines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Too much of something, output, runs, files, processes or nonsense, slows a daemon down and breaks nothing. */
class DaemonOverloadProcessTest extends DaemonFixture {

    @Test
    void a_gigabyte_of_output_passes_through_without_filling_the_memory() throws Exception {
        var run = sh("head -c 1000000000 /dev/zero | tr '\\0' x");
        await().atMost(java.time.Duration.ofMinutes(2)).until(() -> show(run).has("ended_at"));
        var ended = show(run);
        assertThat(ended.path("status").asString()).isEqualTo("completed");
        var output = call("output", operator().put("run_id", run));
        assertThat(Files.size(Path.of(output.path("result_file").asString()))).isEqualTo(1_000_000_000);
        assertThat(output.path("text").asString().length())
                .as("a reply stays small")
                .isLessThanOrEqualTo(1 << 18);
        assertThat(peakMemory(daemon.pid())).as("KiB").isLessThan(600_000);
    }

    private static long peakMemory(long pid) throws IOException {
        for (var line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
            if (line.startsWith("VmHWM:")) return Long.parseLong(line.replaceAll("[^0-9]", ""));
        }
        throw new IOException("no VmHWM");
    }

    private static final int MANY = Boolean.getBoolean("roost.full") ? 2000 : 400;

    @Test
    void many_ended_runs_slow_down_neither_a_list_nor_the_next_start() throws Exception {
        var last = "";
        for (int i = 0; i < MANY; i++)
            last = call("start", task("true")).path("run_id").asString();
        awaitEnd(last);
        await().atMost(java.time.Duration.ofMinutes(1))
                .until(() -> call("status", params()).path("live").asInt() == 0);
        var live = sh("sleep 1000");
        awaitPid(live);
        kill9();
        daemon = start();
        await().atMost(java.time.Duration.ofSeconds(5)).until(() -> status(live).equals("running"));
        assertThat(call("list", operator().put("filter", "all").put("limit", 1000))
                        .path("runs")
                        .size())
                .isEqualTo(Math.min(1000, MANY + 1));
        assertThat(call("inbox", operator()).path("digest").asString().length()).isLessThanOrEqualTo(4000);
    }

    @Test
    void with_too_few_descriptors_runs_wait_instead_of_failing() throws Exception {
        kill9();
        daemon = start("sh", "-c", "ulimit -n 200; exec \"$@\"", "sh");
        var runs = new ArrayList<String>();
        for (int i = 0; i < 120; i++) runs.add(sh("sleep 1; echo done " + i));
        for (int i = 0; i < 120; i++) {
            var ended = awaitEnd(runs.get(i));
            assertThat(ended.path("result").asString())
                    .as(ended::toPrettyString)
                    .isEqualTo("done %d\n".formatted(i));
        }
    }

    @Test
    void too_few_descriptors_for_a_single_run_are_reported_instead_of_waiting_forever() throws Exception {
        kill9();
        // enough for the JVM itself, but not for a run
        int enough = RoostCommandLines.daemonClassPath().split(":", -1).length + 30;
        var daemonToBe = launch("sh", "-c", "ulimit -n %d; exec \"$@\"".formatted(enough), "sh");
        assertThat(firstLine(daemonToBe)).contains("too_few_open_files").contains("ulimit");
        assertThat(daemonToBe.waitFor()).isEqualTo(4);
        daemon = start();
    }

    @Test
    void an_agent_that_floods_closes_and_forks_ends_cleanly() throws Exception {
        var closes = sh("exec >&- 2>&-; sleep 0.2");
        assertThat(awaitEnd(closes).path("status").asString()).isEqualTo("completed_empty");

        var floods = sh("head -c 30000000 /dev/zero | tr '\\0' e >&2; echo out");
        var ended = awaitEnd(floods);
        assertThat(ended.path("status").asString()).isEqualTo("completed");
        assertThat(ended.path("evidence").path("stderr_tail").asString()).hasSize(4096);

        var storm = sh("i=0; while [ $i -lt 200 ]; do sleep 1000 & i=$((i+1)); done; echo forked; wait");
        await().atMost(SOON)
                .until(() -> call("output", operator().put("run_id", storm))
                        .path("text")
                        .asString()
                        .equals("forked\n"));
        call("stop", operator().put("run_id", storm));
        assertThat(status(storm)).isEqualTo("canceled_by_user");
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (var process : processes)
                assertThat(environment(process)).doesNotContain("ROOST_RUN_ID=" + storm + "\0");
        }
    }

    private static String environment(Path process) {
        try {
            return Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    @Test
    void ten_thousand_malformed_messages_are_each_answered_and_change_nothing() throws Exception {
        var random = new Random(20261115);
        for (int batch = 0; batch < 100; batch++) {
            int sent = 0;
            for (int i = 0; i < 100; i++) {
                var line = nonsense(random);
                if (line.isBlank()) continue;
                rpc().send(line);
                sent++;
            }
            for (int i = 0; i < sent; i++) assertThat(rpc().line()).contains("\"error\"");
        }
        assertThat(call("status", params()).path("live").asInt()).isZero();
        assertThat(call("list", operator().put("filter", "all")).path("runs").size())
                .isZero();
    }

    /** Broken JSON, wrong types, unknown fields, missing ones: never a request that could be granted. */
    private static String nonsense(Random random) {
        String[] methods = {"start", "list", "show", "output", "stop", "inbox", "acknowledge", "prune", "levitate", ""};
        String[] values = {
            "null", "true", "-1", "1e400", "\"\\u0000\"", "[]", "{}", "[[[]]]", "\"r_\"", "99999999999999999999"
        };
        String[] fields = {
            "caller", "run_id", "argv", "env", "cwd", "timeout_ms", "cursor", "limit", "x\\ty", "notice_ids"
        };
        return switch (random.nextInt(4)) {
            case 0 -> {
                var bytes = new byte[1 + random.nextInt(60)];
                random.nextBytes(bytes);
                yield "\u0001"
                        + new String(bytes, StandardCharsets.ISO_8859_1)
                                .replace('\n', ' ')
                                .replace('\r', ' ');
            }
            case 1 -> "{\"id\":1,\"method\":" + values[random.nextInt(values.length)] + "}";
            case 2 ->
                "{\"id\":1,\"method\":\"%s\",\"params\":{\"no such field\":%s}}"
                        .formatted(methods[random.nextInt(methods.length)], values[random.nextInt(values.length)]);
            default ->
                "{\"id\":1,\"method\":\"%s\",\"params\":{\"caller\":%s,\"%s\":%s,\"nonsense\":1"
                        .formatted(
                                methods[random.nextInt(methods.length)],
                                values[random.nextInt(values.length)],
                                fields[random.nextInt(fields.length)],
                                values[random.nextInt(values.length)]);
        };
    }
}
