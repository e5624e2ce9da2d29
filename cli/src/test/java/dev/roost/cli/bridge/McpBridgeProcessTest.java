package dev.roost.cli.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.testing.BridgeFixture;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** {@code roost mcp}, as a harness starts it: it answers across deaths of the daemon. */
class McpBridgeProcessTest extends BridgeFixture {

    @Test
    void the_bridge_starts_the_daemon_and_offers_five_tools_with_instructions() throws IOException {
        try (var harness = new Harness()) {
            var probe = harness.answer(harness.send("server/discover", DaemonClient.JSON.createObjectNode()));
            assertThat(probe.path("error").path("code").asInt()).isEqualTo(-32601);
            var hello = DaemonClient.JSON.createObjectNode().put("protocolVersion", "2025-06-18");
            var begun = harness.answer(harness.send("initialize", hello)).path("result");
            assertThat(begun.path("protocolVersion").asString()).isEqualTo("2025-06-18");
            assertThat(begun.path("instructions").asString()).contains("run_in_background", "agent_output");
            var tools = harness.answer(harness.send("tools/list", DaemonClient.JSON.createObjectNode()))
                    .path("result")
                    .path("tools");
            assertThat(tools.valueStream().map(tool -> tool.path("name").asString()))
                    .containsExactly("agent", "agent_list", "agent_output", "agent_stop", "agent_send");
        }
    }

    @Test
    void a_blocked_call_survives_a_kill_of_the_daemon_and_starts_one_run() throws Exception {
        try (var harness = new Harness()) {
            int call = harness.call(
                    "agent",
                    "{'prompt': 'until [ -e go ]; do sleep 0.1; done; echo FRUIT', 'description': 'd', 'agent': 'command'}");
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> roost("ps", "--json").json().path("runs").size() == 1);
            for (int i = 0; i < 2; i++) {
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> roost("daemon", "status").exit() == 0); // the bridge has restarted it
                long daemon = daemonPid();
                ProcessHandle.of(daemon).orElseThrow().destroyForcibly();
                await().until(() -> !alive(daemon));
            }
            touch("go");
            var answer = harness.answer(call).path("result").path("structuredContent");
            assertThat(answer.path("status").asString()).isEqualTo("completed");
            assertThat(answer.path("result").asString()).contains("FRUIT");
            assertThat(harness.answers(call)).isEqualTo(1);
            var runs = roost("ps", "--all", "--json").ok().json().path("runs");
            assertThat(runs).hasSize(1);
            assertThat(runs.get(0).path("owner").asString()).isEqualTo("claude:" + SESSION);
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> !roost("ps", "--all", "--json")
                            .json()
                            .path("runs")
                            .get(0)
                            .path("unread")
                            .asBoolean()); // a foreground reply counts as read
        }
    }

    /** The status of the only run. */
    private String only() throws Exception {
        return roost("ps", "--json").json().path("runs").path(0).path("status").asString();
    }

    @Test
    void a_call_whose_client_exits_leaves_the_run_alive_and_its_notice_pending() throws Exception {
        var harness = new Harness();
        harness.call(
                "agent",
                "{'prompt': 'until [ -e go ]; do sleep 0.1; done; echo FRUIT', 'description': 'd', 'agent': 'command'}");
        await().atMost(Duration.ofSeconds(30)).until(() -> only().equals("running"));
        harness.close();
        assertThat(only()).isEqualTo("running");
        touch("go");
        await().atMost(Duration.ofSeconds(30))
                .until(() -> roost("inbox", "--json").json().path("notices").size() == 1);
        assertThat(roost("ps", "--json")
                        .json()
                        .path("runs")
                        .get(0)
                        .path("unread")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void progress_is_sent_to_a_client_that_passed_a_token() throws Exception {
        try (var harness = new Harness()) {
            var params = DaemonClient.JSON.createObjectNode().put("name", "agent");
            params.set("arguments", DaemonClient.JSON.readTree("""
                    {"prompt": "echo A-LINE; until [ -e go ]; do sleep 0.1; done", "description": "d", "agent": "command"}
                    """));
            params.putObject("_meta").put("progressToken", "p1");
            int call = harness.send("tools/call", params);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> harness.said.stream()
                            .anyMatch(one -> one.path("method").asString("").equals("notifications/progress")
                                    && one.path("params")
                                            .path("progressToken")
                                            .asString()
                                            .equals("p1")
                                    && one.path("params")
                                            .path("message")
                                            .asString()
                                            .contains("A-LINE")));
            touch("go");
            assertThat(harness.answer(call)
                            .path("result")
                            .path("structuredContent")
                            .path("status")
                            .asString())
                    .isEqualTo("completed");
        }
    }

    @Test
    void a_session_sees_only_its_own_runs_and_a_resumed_session_is_the_same_owner() throws IOException {
        String run;
        try (var mine = new Harness()) {
            run = mine.tool("agent", background("echo FRUIT")).path("run_id").asString();
        }
        try (var other = new Harness(Map.of("CLAUDECODE", "1", "CLAUDE_CODE_SESSION_ID", "another"))) {
            for (var tool : List.of("agent_output", "agent_stop")) {
                var foreign =
                        other.tool(tool, "{'run_id': '%s'}".formatted(run)).path("error");
                var unknown = other.tool(tool, "{'run_id': 'r_0000000000zz'}").path("error");
                assertThat(foreign.path("code").asString()).isEqualTo("no_such_run");
                assertThat(foreign.path("message").asString().replace(run, "X"))
                        .isEqualTo(unknown.path("message").asString().replace("r_0000000000zz", "X"));
            }
            assertThat(other.tool("agent_list", "{'filter': 'all'}").path("runs"))
                    .isEmpty();
        }
        try (var again = new Harness()) {
            var read = again.tool("agent_output", "{'run_id': '%s', 'block': true}".formatted(run));
            assertThat(read.path("result").asString()).contains("FRUIT");
        }
    }

    @Test
    void a_model_that_names_another_session_is_refused() throws IOException {
        try (var mine = new Harness();
                var other = new Harness(Map.of("CLAUDECODE", "1", "CLAUDE_CODE_SESSION_ID", "another"))) {
            mine.tool("agent", background("echo FRUIT"));
            assertThat(other.tool("agent_list", "{'filter': 'all', '_session': '%s'}".formatted(SESSION))
                            .path("error")
                            .toString())
                    .contains("unknown_field", "_session");
            var call = DaemonClient.JSON.createObjectNode().put("name", "agent_list");
            call.putObject("arguments").put("filter", "all");
            call.putObject("_meta").put("threadId", SESSION);
            var list = other.answer(other.send("tools/call", call)).path("result");
            assertThat(list.path("structuredContent").path("runs")).isEmpty();
        }
    }

    @Test
    void a_plugin_may_name_the_session() throws IOException {
        try (var plugin = new Harness(Map.of("CLAUDECODE", "1"), "--harness", "opencode")) {
            var run = plugin.tool("agent", background("true").replace("}", ", '_session': 'ses_1'}"))
                    .path("run_id")
                    .asString();
            assertThat(roost("show", run, "--json").ok().json().path("owner").asString())
                    .isEqualTo("opencode:ses_1");
        }
    }

    @Test
    void a_refused_bridge_answers_each_call_with_the_reason() throws IOException {
        try (var harness = new Harness(Map.of(), "--dialect", "klingon")) {
            for (int i = 0; i < 2; i++) {
                var answer = harness.answer(harness.send("initialize", DaemonClient.JSON.createObjectNode()));
                assertThat(answer.path("error").path("message").asString()).contains("klingon");
            }
            assertThat(harness.said).hasSize(2);
        }
    }

    @Test
    void the_bridge_gives_up_on_a_daemon_that_dies_at_every_call() throws IOException {
        Files.createDirectories(home);
        var address = UnixDomainSocketAddress.of(home.resolve("roost.sock"));
        var connections = new AtomicInteger();
        try (var dying = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address);
                var harness = new Harness()) {
            Thread.ofVirtual().start(() -> {
                while (dying.isOpen()) {
                    try (var one = dying.accept()) {
                        new BufferedReader(Channels.newReader(one, StandardCharsets.UTF_8)).readLine();
                        connections.incrementAndGet();
                    } catch (IOException e) {
                        return; // the test has ended
                    }
                }
            });
            var answer = harness.answer(harness.call("agent_list", "{}"));
            assertThat(answer.path("error").path("message").asString()).contains("unknown");
            assertThat(connections.get()).isBetween(2, 10);
        } finally {
            Files.delete(home.resolve("roost.sock"));
        }
    }

    @Test
    void a_call_that_is_too_long_is_refused_and_later_calls_work() throws IOException {
        try (var harness = new Harness()) {
            var tooLong = harness.answer(harness.call("agent_stop", "{'run_id': '%s'}".formatted("x".repeat(9 << 20))));
            assertThat(tooLong.path("error").path("message").asString()).contains("8 MiB");
            assertThat(harness.tool("agent_list", "{}").has("runs")).isTrue();
        }
    }

    @Test
    void an_implausible_time_without_a_unit_is_refused_with_its_meaning() throws IOException {
        try (var harness = new Harness()) {
            var run =
                    harness.tool("agent", background("sleep 60")).path("run_id").asString();
            var error = harness.tool(
                            "agent_output", "{'run_id': '%s', 'block': true, 'timeout_ms': 300}".formatted(run))
                    .path("error");
            assertThat(error.path("message").asString()).contains("timeout_ms=300 is 0.3 seconds");
            assertThat(error.path("hint").asString()).contains("300000", "\"300s\"");
            var late =
                    harness.tool("agent_output", "{'run_id': '%s', 'block': true, 'timeout_ms': '1s'}".formatted(run));
            assertThat(late.path("timed_out").asBoolean()).isTrue();
            assertThat(late.path("status").asString()).isEqualTo("running");
            assertThat(late.path("message").asString()).contains("again");
            assertThat(harness.tool("agent_stop", "{'run_id': '%s'}".formatted(run))
                            .path("status")
                            .asString())
                    .isEqualTo("canceled_by_user");
        }
    }

    @Test
    void errors_have_one_format_and_create_no_run() throws IOException {
        try (var harness = new Harness()) {
            assertThat(harness.tool("agent", "{'prompt': 'x', 'description': 'd', 'colour': 'red'}")
                            .path("error")
                            .toString())
                    .contains("unknown_field", "colour");
            assertThat(harness.tool("agent", "{'prompt': 'x', 'description': 'd', 'agent': 'acp'}")
                            .path("error")
                            .toString())
                    .contains("agent_not_allowed", "command, claude");
            assertThat(harness.tool("agent", "{'prompt': 'x', 'description': 'd', 'agent': 'command', 'cwd': '/'}")
                            .path("error")
                            .toString())
                    .contains("outside_project");
            assertThat(harness.tool("agent", "{'prompt': '', 'description': 'd', 'agent': 'command'}")
                            .path("error")
                            .toString())
                    .contains("empty_prompt");
            assertThat(harness.answer(harness.call("agent_restart", "{}"))
                            .path("error")
                            .path("message")
                            .asString())
                    .contains("agent_restart");
            assertThat(harness.tool(
                                    "agent",
                                    "{'prompt': 'x', 'description': 'd', 'agent': 'command', 'max_time': '0s'}")
                            .path("error")
                            .toString())
                    .contains("bad_duration", "30m");
            assertThat(roost("ps", "--all", "--json").json().path("runs")).isEmpty();
        }
    }

    @Test
    void inside_a_run_a_start_is_refused_with_the_reason() throws IOException {
        var id = start("sleep 60");
        try (var inside = new Harness(Map.of("ROOST_RUN_ID", id, "ROOST_OWNER", "cli:x"))) {
            assertThat(inside.tool("agent", background("echo no")).path("error").toString())
                    .contains("too_deep", id, "max_depth");
        }
    }
}
