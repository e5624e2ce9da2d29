package dev.roost.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code roost mcp} as a harness has it: a process that answers, whatever becomes of the daemon behind it. */
class McpBridgeTest extends RealAgents {

    private static final String SESSION = "5f0c0000-0000-4000-8000-000000000001";

    private Path program;

    @BeforeEach
    void allowCommands() throws IOException {
        config("[tools]\nagents = ['command', 'claude']\n");
        program = scratch.resolve("bin/roost");
        Files.writeString(program, """
                #!/bin/sh
                case $1 in hook | mcp | socket) exec %s "$@" ;; *) exec %s "$@" ;; esac
                """.formatted(quoted(bridgeCommand()), quoted(command())));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    }

    private String quoted(List<String> words) {
        return String.join(
                " ",
                words.stream()
                        .map(word -> word.startsWith("-Droost.launcher=") ? "-Droost.launcher=" + program : word)
                        .map(word -> "'" + word + "'")
                        .toList());
    }

    /** A harness with its end of the pipes. */
    private final class Harness implements AutoCloseable {
        private final Process bridge;
        private final ConcurrentLinkedQueue<JsonNode> said = new ConcurrentLinkedQueue<>();
        private int calls;

        Harness(Map<String, String> environment, String... words) throws IOException {
            var command = new java.util.ArrayList<>(List.of(program.toString(), "mcp"));
            command.addAll(List.of(words));
            var builder = new ProcessBuilder(command).directory(scratch.toFile());
            builder.environment().keySet().removeIf(name -> name.matches("(ROOST_|CLAUDE|OPENCODE|CODEX|GEMINI).*"));
            builder.environment().put("ROOST_HOME", home.toString());
            builder.environment()
                    .put("XDG_CONFIG_HOME", scratch.resolve("config").toString());
            builder.environment().put("SCRATCH", scratch.toString());
            builder.environment().put("PATH", scratch.resolve("bin") + ":" + System.getenv("PATH"));
            builder.environment().putAll(environment);
            bridge = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
            Thread.ofVirtual()
                    .start(() -> bridge.inputReader(StandardCharsets.UTF_8)
                            .lines()
                            .forEach(line -> said.add(Client.JSON.readTree(line))));
        }

        Harness() throws IOException {
            this(Map.of("CLAUDECODE", "1", "CLAUDE_CODE_SESSION_ID", SESSION));
        }

        int send(String method, ObjectNode params) {
            int id = ++calls;
            var request = Client.JSON.createObjectNode().put("jsonrpc", "2.0").put("id", id);
            request.put("method", method).set("params", params);
            write(request);
            return id;
        }

        void write(JsonNode message) {
            try {
                bridge.getOutputStream().write((message + "\n").getBytes(StandardCharsets.UTF_8));
                bridge.getOutputStream().flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        int call(String tool, String arguments) {
            var params = Client.JSON.createObjectNode().put("name", tool);
            params.set("arguments", Client.JSON.readTree(arguments.replace('\'', '"')));
            return send("tools/call", params);
        }

        JsonNode answer(int id) {
            await().atMost(Duration.ofSeconds(60)).until(() -> answers(id) > 0);
            return said.stream()
                    .filter(one -> one.path("id").asInt(-1) == id)
                    .findFirst()
                    .orElseThrow();
        }

        long answers(int id) {
            return said.stream().filter(one -> one.path("id").asInt(-1) == id).count();
        }

        /** What a tool answered, as fields. */
        JsonNode tool(String tool, String arguments) {
            return answer(call(tool, arguments)).path("result").path("structuredContent");
        }

        @Override
        public void close() {
            bridge.destroyForcibly();
        }
    }

    private static String background(String script) {
        return "{'prompt': '%s', 'description': 'd', 'agent': 'command', 'run_in_background': true}".formatted(script);
    }

    @Test
    void it_starts_the_daemon_and_offers_five_tools_with_instructions() throws IOException {
        try (var harness = new Harness()) {
            var probe = harness.answer(harness.send("server/discover", Client.JSON.createObjectNode()));
            assertThat(probe.path("error").path("code").asInt()).isEqualTo(-32601);
            var hello = Client.JSON.createObjectNode().put("protocolVersion", "2025-06-18");
            var begun = harness.answer(harness.send("initialize", hello)).path("result");
            assertThat(begun.path("protocolVersion").asString()).isEqualTo("2025-06-18");
            assertThat(begun.path("instructions").asString()).contains("run_in_background", "agent_output");
            var tools = harness.answer(harness.send("tools/list", Client.JSON.createObjectNode()))
                    .path("result")
                    .path("tools");
            assertThat(tools.valueStream().map(tool -> tool.path("name").asString()))
                    .containsExactly("agent", "agent_list", "agent_output", "agent_stop", "agent_send");
        }
    }

    @Test
    void a_blocked_call_survives_the_death_of_the_daemon_and_starts_nothing_twice() throws Exception {
        try (var harness = new Harness()) {
            int call = harness.call(
                    "agent",
                    "{'prompt': 'until [ -e go ]; do sleep 0.1; done; echo FRUIT', 'description': 'd', 'agent': 'command'}");
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> roost("ps", "--json").json().path("runs").size() == 1);
            for (int i = 0; i < 2; i++) {
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> roost("daemon", "status").exit() == 0); // the bridge has started another
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
                            .asBoolean()); // a foreground reply is a reading
        }
    }

    @Test
    void a_call_whose_client_went_away_leaves_the_run_alive_and_its_notice_waiting() throws Exception {
        var harness = new Harness();
        harness.call(
                "agent",
                "{'prompt': 'until [ -e go ]; do sleep 0.1; done; echo FRUIT', 'description': 'd', 'agent': 'command'}");
        await().atMost(Duration.ofSeconds(30))
                .until(() -> roost("ps", "--json").json().path("runs").size() == 1);
        harness.close();
        assertThat(roost("ps", "--json")
                        .json()
                        .path("runs")
                        .get(0)
                        .path("status")
                        .asString())
                .isEqualTo("running");
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
    void progress_is_told_to_who_gave_a_token() throws Exception {
        try (var harness = new Harness()) {
            var params = Client.JSON.createObjectNode().put("name", "agent");
            params.set("arguments", Client.JSON.readTree("""
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
    void a_session_sees_its_own_runs_only_and_a_resumed_one_is_the_same_owner() throws IOException {
        String run;
        try (var mine = new Harness()) {
            run = mine.tool("agent", background("echo FRUIT")).path("run_id").asString();
        }
        try (var other = new Harness(Map.of("CLAUDECODE", "1", "CLAUDE_CODE_SESSION_ID", "another"))) {
            for (var tool : List.of("agent_output", "agent_stop")) {
                var there = other.tool(tool, "{'run_id': '%s'}".formatted(run)).path("error");
                var nowhere = other.tool(tool, "{'run_id': 'r_0000000000zz'}").path("error");
                assertThat(there.path("code").asString()).isEqualTo("no_such_run");
                assertThat(there.path("message").asString().replace(run, "X"))
                        .isEqualTo(nowhere.path("message").asString().replace("r_0000000000zz", "X"));
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
    void a_time_without_a_unit_that_can_only_be_a_mistake_is_refused_with_what_it_would_have_meant()
            throws IOException {
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
    void what_is_wrong_is_said_in_one_shape_and_leaves_nothing_behind() throws IOException {
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
    void inside_a_run_starting_another_is_refused_with_the_reason() throws IOException {
        var id = start("sleep 60");
        try (var inside = new Harness(Map.of("ROOST_RUN_ID", id, "ROOST_OWNER", "cli:x"))) {
            assertThat(inside.tool("agent", background("echo no")).path("error").toString())
                    .contains("too_deep", id, "max_depth");
        }
    }

    private Process hook(String event) throws IOException {
        var builder = new ProcessBuilder(program.toString(), "hook", "claude-code", event).directory(scratch.toFile());
        builder.environment().keySet().removeIf(name -> name.matches("(ROOST_|CLAUDE|OPENCODE|CODEX|GEMINI).*"));
        builder.environment().put("ROOST_HOME", home.toString());
        builder.environment().put("XDG_CONFIG_HOME", scratch.resolve("config").toString());
        return builder.start();
    }

    private Ran hooked(String event) throws IOException {
        return finish(hook(event), "{\"session_id\": \"%s\", \"cwd\": \"%s\"}".formatted(SESSION, scratch));
    }

    @Test
    void the_start_of_a_session_starts_the_daemon_and_other_events_do_not() throws IOException {
        assertThat(hooked("UserPromptSubmit")).isEqualTo(new Ran(0, "", ""));
        assertThat(home).doesNotExist();
        assertThat(hooked("SessionStart")).isEqualTo(new Ran(0, "", ""));
        assertThat(roost("daemon", "status").exit()).isZero();
    }

    @Test
    void a_session_that_wanders_off_takes_its_agents_nowhere_else() throws IOException {
        hooked("SessionStart");
        var wandered = "{\"session_id\": \"%s\", \"cwd\": \"/\"}".formatted(SESSION);
        finish(hook("UserPromptSubmit"), wandered);
        try (var harness = new Harness()) {
            assertThat(harness.tool("agent", "{'prompt': 'pwd', 'description': 'd', 'agent': 'command'}")
                            .path("result")
                            .asString()
                            .strip())
                    .isEqualTo(scratch.toRealPath().toString());
            assertThat(harness.tool("agent", "{'prompt': 'x', 'description': 'd', 'agent': 'command', 'cwd': '/etc'}")
                            .path("error")
                            .toString())
                    .contains("outside_project");
        }
    }

    @Test
    void a_hook_that_is_killed_before_it_has_printed_has_told_nothing() throws Exception {
        hooked("SessionStart");
        try (var harness = new Harness()) {
            harness.tool("agent", background("true"));
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> roost("inbox", "--json").json().path("notices").size() == 1);
        }
        var cut = hook("UserPromptSubmit");
        cut.getInputStream().close(); // whoever should have read it is gone
        finishQuietly(cut);
        hooked("PostToolBatch");
        assertThat(roost("inbox", "--json").json().path("notices"))
                .as("still pending")
                .hasSize(1);
        assertThat(hooked("UserPromptSubmit").out()).contains("1 background run ended");
        assertThat(hooked("PostToolBatch").out()).isEmpty();
        assertThat(roost("inbox", "--json").json().path("notices")).isEmpty();
    }

    private void finishQuietly(Process process) throws Exception {
        try (var in = process.getOutputStream()) {
            in.write("{\"session_id\": \"%s\"}".formatted(SESSION).getBytes(StandardCharsets.UTF_8));
        }
        process.waitFor();
    }

    @Test
    void who_waits_to_wake_a_session_outlives_the_death_of_the_daemon_but_not_its_stop() throws Exception {
        config("wake_quiet = '1s'\n[tools]\nagents = ['command']\n");
        hooked("SessionStart");
        hooked("UserPromptSubmit");
        hooked("Stop");
        var waiter = hook("Wake");
        try (var in = waiter.getOutputStream()) {
            in.write("{\"session_id\": \"%s\"}".formatted(SESSION).getBytes(StandardCharsets.UTF_8));
        }
        await().atMost(Duration.ofSeconds(60)).until(this::isHeard);
        long daemon = daemonPid();
        ProcessHandle.of(daemon).orElseThrow().destroyForcibly();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> roost("daemon", "status").exit() == 0 && daemonPid() != daemon);
        try (var harness = new Harness()) {
            harness.tool("agent", background("true"));
        }
        assertThat(waiter.waitFor(60, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
        assertThat(waiter.exitValue()).isEqualTo(2);
        assertThat(new String(waiter.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("<roost-notice id=", "1 background run ended");

        hooked("Stop");
        var other = hook("Wake");
        try (var in = other.getOutputStream()) {
            in.write("{\"session_id\": \"%s\"}".formatted(SESSION).getBytes(StandardCharsets.UTF_8));
        }
        await().atMost(Duration.ofSeconds(60)).until(this::isHeard);
        roost("daemon", "stop").ok();
        assertThat(other.waitFor(30, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
        assertThat(other.exitValue()).isZero();
        assertThat(roost("daemon", "status").exit()).isEqualTo(4);
    }

    private boolean isHeard() throws IOException {
        var accepted = Pattern.compile(
                " 0001 03 +[0-9]+ " + Pattern.quote(home.resolve("roost.sock").toString()));
        return accepted.matcher(Files.readString(Path.of("/proc/net/unix"))).find();
    }
}
