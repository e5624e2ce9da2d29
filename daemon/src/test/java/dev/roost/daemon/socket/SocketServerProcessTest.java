package dev.roost.daemon.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.DaemonFixture;
import dev.roost.daemon.testing.SocketRpcClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The methods of the socket, and their access rules. */
class SocketServerProcessTest extends DaemonFixture {

    @Override
    public boolean sharesDaemon() {
        return true;
    }

    @Test
    void every_method_shows_a_run_as_the_same_object() throws IOException {
        var run = call(
                "start",
                task("sh", "-c", "echo hi; exit 3").put("name", "nightly").put("max_time", "30m"));
        assertThat(run.path("status").asString()).isEqualTo("queued");
        assertThat(run.path("run_id").asString()).startsWith("r_");
        assertThat(run.path("name").asString()).isEqualTo("nightly");
        assertThat(run.path("owner").asString()).isEqualTo(PARENT);
        assertThat(run.path("agent").asString()).isEqualTo("command");
        assertThat(run.path("driver").asString()).isEqualTo("command");
        assertThat(run.path("attempt").asInt()).isEqualTo(1);
        assertThat(Path.of(run.path("output_file").asString())).exists();

        var ended = awaitEnd("nightly");
        assertThat(ended.path("cause").asString()).isEqualTo("exit_code");
        assertThat(ended.path("evidence").path("exit_status").asInt()).isEqualTo(3);
        assertThat(ended.path("created_at").asString()).endsWith("Z");
        for (var field :
                new String[] {"run_id", "status", "cause", "attempt", "cwd", "unread", "started_at", "ended_at"}) {
            assertThat(ended.has(field)).as(field).isTrue();
        }
        assertThat(ended.has("pid")).as("an ended run shows no pid").isFalse();
    }

    @Test
    void a_watcher_gets_changes_and_after_a_restart_a_reset() throws Exception {
        var start = call("changes", operator());
        assertThat(start.path("again").asBoolean()).isTrue();
        var position = start.path("position").asString();
        var quiet = call("changes", operator().put("after", position).put("timeout_ms", "1s"));
        assertThat(quiet.path("runs")).isEmpty();
        assertThat(quiet.path("position").asString()).isEqualTo(position);

        var id = call("start", task("true").put("owner", "other:one").put("operator", true))
                .path("run_id")
                .asString();
        var seen = new ArrayList<String>();
        var at = position;
        while (!seen.contains("completed_empty")) {
            var news = call("changes", operator().put("after", at).put("timeout_ms", "20s"));
            assertThat(news.path("again").asBoolean()).isFalse();
            for (var run : news.path("runs")) {
                assertThat(run.path("run_id").asString()).isEqualTo(id);
                seen.add(run.path("status").asString());
            }
            at = news.path("position").asString();
        }
        var others = call("changes", params().put("after", position).put("timeout_ms", "1s"));
        assertThat(others.path("runs")).as("another owner's run").isEmpty();

        kill9();
        daemon = start();
        assertThat(call("changes", operator().put("after", at)).path("again").asBoolean())
                .isTrue();
        assertThat(call("changes", operator().put("after", "nonsense"))
                        .path("again")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void a_blocked_request_delays_no_other_on_the_same_connection() throws IOException {
        var run = sh("while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; echo done");
        rpc().send(
                        "{\"id\":\"blocked\",\"method\":\"output\",\"params\":{\"caller\":\"%s\",\"run_id\":\"%s\",\"block\":true}}"
                                .formatted(PARENT, run));
        rpc().send("{\"id\":\"quick\",\"method\":\"status\"}");
        assertThat(rpc().line()).contains("\"quick\"");
        Files.createFile(scratch.resolve("go"));
        assertThat(rpc().line()).contains("\"blocked\"").contains("completed");
    }

    @Test
    void the_owners_first_terminal_read_clears_unread_and_the_operators_clears_nothing() throws IOException {
        var run = sh("echo result");
        awaitEnd(run);
        assertThat(show(run).path("unread").asBoolean())
                .as("read by the operator")
                .isTrue();
        call("output", params().put("run_id", run));
        var other = call(
                        "start",
                        task("echo", "again").put("owner", "claude:other").put("operator", true))
                .path("run_id")
                .asString();
        awaitEnd(other);

        await().untilAsserted(
                        () -> assertThat(show(run).path("unread").asBoolean()).isFalse());
        assertThat(show(other).path("unread").asBoolean()).isTrue();
        assertThat(call("output", params().put("run_id", run)).path("result").asString())
                .as("the run still exists")
                .isEqualTo("result\n");
    }

    @Test
    void a_long_result_counts_as_read_and_a_stop_that_came_too_late_does_not() throws IOException {
        var wordy = sh("head -c 400000 /dev/zero | tr '\\0' x");
        awaitEnd(wordy);
        call("output", params().put("run_id", wordy));
        await().untilAsserted(
                        () -> assertThat(show(wordy).path("unread").asBoolean()).isFalse());

        var finished = sh("echo result");
        awaitEnd(finished);
        call("stop", params().put("run_id", finished));
        assertThat(show(finished).path("unread").asBoolean()).isTrue();
        var stopped = sh("sleep 1000");
        call("stop", params().put("run_id", stopped));
        await().untilAsserted(() ->
                assertThat(show(stopped).path("unread").asBoolean()).isFalse());
    }

    @Test
    void a_reader_that_disconnects_before_its_answer_acknowledges_nothing() throws Exception {
        var run = sh("while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; echo result");
        try (var gone = new SocketRpcClient(home)) {
            gone.send("{\"id\":1,\"method\":\"output\",\"params\":{\"caller\":\"%s\",\"run_id\":\"%s\",\"block\":true}}"
                    .formatted(PARENT, run));
            gone.send("{\"id\":2,\"method\":\"status\"}");
            gone.line();
        }
        Files.createFile(scratch.resolve("go"));
        await().atMost(SOON).until(() -> show(run).has("ended_at"));
        assertThat(show(run).path("unread").asBoolean()).isTrue();
    }

    @Test
    void a_foreign_run_looks_exactly_like_one_that_does_not_exist() throws IOException {
        var run = sh("sleep 1000");
        for (var method : new String[] {"show", "output", "stop"}) {
            var theirs = error(
                    method,
                    JSON.createObjectNode().put("caller", "claude:stranger").put("run_id", run));
            var none = error(
                    method,
                    JSON.createObjectNode().put("caller", "claude:stranger").put("run_id", "r_000000000000"));
            assertThat(theirs.toString().replace(run, "ID"))
                    .isEqualTo(none.toString().replace("r_000000000000", "ID"));
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> status(run).equals("running")); // no caller has stopped it
    }

    @Test
    void a_query_for_a_foreign_owner_does_not_return_the_callers_runs() throws IOException {
        var theirs = sh("sleep 1000");
        var mine = JSON.createObjectNode().put("caller", "claude:me");
        call("start", task("false").put("caller", "claude:me"));
        await().untilAsserted(() -> assertThat(
                        call("inbox", mine.deepCopy()).path("notices").size())
                .isOne());

        assertThat(call("list", mine.deepCopy().put("owner", PARENT))
                        .path("runs")
                        .size())
                .as("`roost stop --owner` stops what this lists")
                .isZero();
        assertThat(call("inbox", mine.deepCopy().put("owner", PARENT))
                        .path("notices")
                        .size())
                .isZero();
        assertThat(call("list", mine.deepCopy().put("owner", "claude:me"))
                        .path("runs")
                        .size())
                .isOne();
        var stolen =
                task("true").put("caller", "claude:me").put("owner", PARENT).put("name", "any");
        assertThat(error("start", stolen).toString()).contains("not_your_owner").doesNotContain(theirs);
    }

    @Test
    void fifty_blocked_clients_all_get_the_end() throws Exception {
        var run = sh("while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.02; done; echo done");
        awaitPid(run);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var readers = new ArrayList<Future<JsonNode>>();
            for (int i = 0; i < 50; i++) {
                readers.add(threads.submit(() -> {
                    try (var own = new SocketRpcClient(home)) {
                        return own.exchange(
                                        "output", operator().put("run_id", run).put("block", true))
                                .get("result");
                    }
                }));
            }
            Files.createFile(scratch.resolve("go"));
            await().atMost(SOON).until(() -> show(run).has("ended_at"));
            for (var reader : readers) {
                assertThat(reader.get(SOON.toSeconds(), TimeUnit.SECONDS)
                                .path("status")
                                .asString())
                        .isEqualTo("completed");
            }
        }
    }

    @Test
    void lists_page_by_cursor() throws IOException {
        for (int i = 0; i < 5; i++) sh("true");
        var first = call("list", operator().put("filter", "all").put("limit", 2));
        assertThat(first.path("runs").size()).isEqualTo(2);
        var second = call(
                "list",
                operator()
                        .put("filter", "all")
                        .put("limit", 3)
                        .put("cursor", first.path("next_cursor").asString()));
        assertThat(second.path("runs").size()).isEqualTo(3);
        assertThat(second.has("next_cursor")).isFalse();
        refused("list", operator().put("cursor", "yesterday"), "bad_field");
    }

    @Test
    void only_its_user_can_read_the_home() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home)))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("roost.sock"))))
                .isEqualTo("rw-------");
        var secret = task("true");
        ((ObjectNode) secret.get("env")).put("API_KEY", "hunter2");
        var run = call("start", secret).path("run_id").asString();
        awaitEnd(run);
        assertThat(show(run).toString()).doesNotContain("hunter2");
        try (var logs = Files.list(home.resolve("logs"))) {
            for (var log : logs.toList()) assertThat(log).content().doesNotContain("hunter2");
        }
    }

    @Test
    void an_answer_has_the_id_of_its_request() throws IOException {
        var run = sh("sleep 600");
        var answer = operator().put("run_id", run).put("message", "allow").put("question", "q9");
        assertThat(error("send", answer).path("code").asString()).isEqualTo("question_closed");
    }

    @Test
    void a_stopping_daemon_reports_no_internal_error_to_a_waiting_client() throws Exception {
        var run = sh("sleep 600");
        awaitPid(run);
        try (var waiting = new SocketRpcClient(home)) {
            waiting.send(
                    "{\"id\":\"w\",\"method\":\"output\",\"params\":{\"caller\":\"%s\",\"run_id\":\"%s\",\"block\":true}}"
                            .formatted(PARENT, run));
            waiting.send(
                    "{\"id\":\"quick\",\"method\":\"doctor\",\"params\":{\"caller\":\"cli:x\",\"operator\":true}}");
            assertThat(waiting.line()).contains("\"quick\""); // by when the other one waits
            call("shutdown", operator());
            assertThat(daemon.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(waiting.lineOrEnd()).isEmpty();
        }
        assertThat(home.resolve("logs/daemon.0.log")).content().doesNotContain("SEVERE", "ERROR");
    }

    @Test
    void a_client_that_closes_its_output_still_gets_its_answer() throws Exception {
        var run = sh("while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; echo done");
        awaitPid(run);
        try (var own = new SocketRpcClient(home)) {
            own.send("{\"id\":7,\"method\":\"output\",\"params\":{\"caller\":\"%s\",\"run_id\":\"%s\",\"block\":true}}"
                    .formatted(PARENT, run));
            own.sayNoMore();
            Files.createFile(scratch.resolve("go"));
            assertThat(own.line()).contains("\"id\":7").contains("done");
        }
    }
}
