package dev.roost.daemon.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.HttpFixture;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** MCP tools over HTTP: each token reaches its own runs within its scope. */
class McpRouteProcessTest extends HttpFixture {

    @Override
    public boolean sharesDaemon() {
        return true;
    }

    @Override
    public List<String> options() {
        return List.of("-Droost.silence=1000");
    }

    private static final String BOTH = "application/json, text/event-stream";

    private String end(String token, String script) throws Exception {
        var run =
                fields(tool(token, "agent", background(script))).path("run_id").asString();
        awaitEnd(run);
        return run;
    }

    /** What came over an event stream: its messages, and how many comments. */
    private record Streamed(List<JsonNode> messages, int comments) {}

    private Streamed stream(String token, JsonNode message) throws Exception {
        var request = request("/mcp", token, "Accept", BOTH)
                .POST(java.net.http.HttpRequest.BodyPublishers.ofString(message.toString()));
        HttpResponse<Stream<String>> answer = client.send(request.build(), HttpResponse.BodyHandlers.ofLines());
        assertThat(answer.headers().firstValue("Content-Type")).contains("text/event-stream");
        var lines = answer.body().toList();
        var messages = new ArrayList<JsonNode>();
        for (var line : lines) if (line.startsWith("data: ")) messages.add(JSON.readTree(line.substring(6)));
        return new Streamed(messages, (int)
                lines.stream().filter(line -> line.startsWith(":")).count());
    }

    @Test
    void a_client_of_the_protocol_needs_no_session() throws Exception {
        var token = token("claude:box");
        var hello = post(
                "/mcp",
                token,
                rpc("initialize", JSON.createObjectNode().put("protocolVersion", "2025-06-18"))
                        .toString(),
                "Accept",
                BOTH);
        assertThat(hello.statusCode()).isEqualTo(200);
        assertThat(hello.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(hello.headers().firstValue("Mcp-Session-Id")).isEmpty();
        assertThat(JSON.readTree(hello.body())
                        .path("result")
                        .path("protocolVersion")
                        .asString())
                .isEqualTo("2025-06-18");
        var said = post("/mcp", token, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        assertThat(said.statusCode()).isEqualTo(202);
        assertThat(said.body()).isEmpty();
        assertThat(post("/mcp", token, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}")
                        .statusCode())
                .isEqualTo(202);
        restart();
        var tools = post(
                "/mcp",
                token,
                rpc("tools/list", JSON.createObjectNode()).toString(),
                "MCP-Protocol-Version",
                "2025-06-18");
        assertThat(tools.body()).contains("\"agent_output\"");
        refused(post("/mcp", token, "[" + rpc("ping", JSON.createObjectNode()) + "]"), 400, "no_batches");
        refused(post("/mcp", token, "{}"), 400, "bad_request");
        refused(
                post("/mcp", token, rpc("ping", JSON.createObjectNode()).toString(), "MCP-Protocol-Version", "1999"),
                400,
                "unknown_revision");
    }

    @Test
    void a_dialect_is_chosen_by_a_query_parameter_or_a_header() throws Exception {
        var token = token("claude:box");
        var list = rpc("tools/list", JSON.createObjectNode()).toString();
        assertThat(post("/mcp?dialect=claude-code", token, list).body()).contains("\"TaskOutput\"");
        assertThat(post("/mcp", token, list, "Roost-Dialect", "oh-my-openagent").body())
                .contains("\"background_output\"");
        refused(post("/mcp?dialect=klingon", token, list), 400, "unknown_dialect");
    }

    @Test
    void a_model_may_reduce_the_limits_of_its_agent_and_never_raise_them() throws Exception {
        configure("""
                [agents.capped]
                driver = "claude"
                command = ["sh"]
                max_time = "10m"
                """);
        restart();
        var scope = scope("claude:box");
        scope.putArray("agents").add("capped");
        var token = token(scope);
        assertThat(capOf(token, "1h")).isEqualTo(600_000);
        assertThat(capOf(token, "1m")).isEqualTo(60_000);
    }

    private long capOf(String token, String wanted) throws Exception {
        var asked = background("exit").put("agent", "capped").put("max_time", wanted);
        var run = fields(tool(token, "agent", asked)).path("run_id").asString();
        awaitEnd(run);
        return show(run).path("max_time_ms").asLong();
    }

    @Test
    void a_foreground_call_returns_the_result_and_acknowledges_it() throws Exception {
        var result = fields(tool(token("claude:box"), "agent", script("echo forty-two")));
        assertThat(result.path("status").asString()).isEqualTo("completed");
        assertThat(result.path("result").asString()).contains("forty-two");
        await().atMost(SOON)
                .until(() ->
                        !show(result.path("run_id").asString()).path("unread").asBoolean());
    }

    @Test
    void a_client_that_accepts_events_gets_progress_and_then_the_answer() throws Exception {
        var token = token("claude:box");
        var call = toolCall("agent", script("echo first; sleep 6; echo second"));
        ((tools.jackson.databind.node.ObjectNode) call.get("params"))
                .putObject("_meta")
                .put("progressToken", "p1");
        var heard = stream(token, call).messages();
        assertThat(heard.size()).isGreaterThanOrEqualTo(2);
        assertThat(heard.getFirst().path("method").asString()).isEqualTo("notifications/progress");
        assertThat(heard.getFirst().path("params").path("progressToken").asString())
                .isEqualTo("p1");
        assertThat(heard.getLast().path("id").asInt()).isEqualTo(7);
        assertThat(heard.getLast().path("result").toString()).contains("second");
    }

    @Test
    void an_idle_stream_is_kept_alive() throws Exception {
        var streamed = stream(token("claude:box"), toolCall("agent", script("sleep 3.5; echo done")));
        assertThat(streamed.messages()).hasSize(1);
        assertThat(streamed.comments()).isGreaterThanOrEqualTo(3);
    }

    @Test
    void a_foreign_run_looks_exactly_like_one_that_does_not_exist() throws Exception {
        var one = token("claude:one");
        var other = token("claude:other");
        var live = fields(tool(one, "agent", background("sleep 1000")))
                .path("run_id")
                .asString();
        awaitPid(live);
        var ended = end(one, "echo secret");
        for (var name : new String[] {"agent_output", "agent_stop", "agent_send"}) {
            for (var run : new String[] {live, ended}) {
                var ask = run(run);
                var missing = run("r_000000000000");
                if (name.equals("agent_send")) {
                    ask.put("message", "hi");
                    missing.put("message", "hi");
                }
                assertThat(tool(other, name, ask).toString().replace(run, "ID"))
                        .isEqualTo(tool(other, name, missing).toString().replace("r_000000000000", "ID"));
            }
        }
        assertThat(fields(tool(other, "agent_list", JSON.createObjectNode()))
                        .path("runs")
                        .size())
                .isZero();
        assertThat(fields(tool(one, "agent_list", JSON.createObjectNode()))
                        .path("runs")
                        .size())
                .isEqualTo(2);
        assertThat(tool(other, "agent_list", JSON.createObjectNode(), "Roost-Owner", "claude:one")
                        .toString())
                .as("a client cannot choose the owner of a token")
                .doesNotContain(live);
        assertThat(status(live)).isEqualTo("running");
    }

    @Test
    void a_token_is_limited_to_its_directory_agents_and_number_of_runs() throws Exception {
        var inside = Files.createDirectories(scratch.resolve("project/sub"));
        var token = token(scope("claude:box")
                .put("directory", scratch.resolve("project").toString())
                .put("max_live", 1));
        Files.createSymbolicLink(inside.resolve("out"), scratch);
        for (var cwd : new String[] {scratch.toString(), "..", "sub/../..", "/", "sub/out"}) {
            assertThat(code(tool(token, "agent", script("pwd").put("cwd", cwd))))
                    .as(cwd)
                    .isEqualTo("outside_project");
        }
        assertThat(fields(tool(token, "agent", script("pwd").put("cwd", "sub")))
                        .path("result")
                        .asString())
                .isEqualToIgnoringNewLines(inside.toRealPath().toString());
        assertThat(code(tool(token, "agent", script("hi").put("agent", "claude"))))
                .isEqualTo("agent_not_allowed");

        var first = fields(tool(token, "agent", background("sleep 1000")))
                .path("run_id")
                .asString();
        assertThat(code(tool(token, "agent", background("true")))).isEqualTo("over_capacity");
        fields(tool(token, "agent_stop", run(first)));
        fields(tool(token, "agent", background("true")));
        assertThat(call("list", operator().put("filter", "all")).path("runs").size())
                .as("the refused start left no row")
                .isEqualTo(3);
    }

    @Test
    void the_default_agent_is_one_that_the_token_may_use() throws Exception {
        configure("default_agent = 'claude'\n");
        restart();
        var unnamed = script("echo by the one it may use");
        unnamed.remove("agent");
        assertThat(fields(tool(token("claude:box"), "agent", unnamed))
                        .path("agent")
                        .asString())
                .isEqualTo("command");
    }

    @Test
    void a_launcher_precedes_every_command_and_gets_the_variables() throws Exception {
        var launcher = scratch.resolve("launcher");
        Files.writeString(launcher, "#!/bin/sh\necho launched with $1 $GIVEN\nshift\nexec \"$@\"\n");
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
        var scope = scope("claude:box");
        scope.putArray("launcher").add(launcher.toString()).add("two words");
        scope.putObject("env").put("GIVEN", "variable");
        var result = fields(tool(token(scope), "agent", script("echo and then; env")))
                .path("result")
                .asString();
        assertThat(result).startsWith("launched with two words variable\nand then\n");
        assertThat(result).contains("HOME=", "PATH=").doesNotContain("XDG_CONFIG_HOME=", "ROOST_MAX_LIVE=");
    }

    @Test
    void paths_are_shown_as_the_client_sees_them() throws Exception {
        Files.createDirectories(scratch.resolve("project/sub"));
        var scope =
                scope("claude:box").put("directory", scratch.resolve("project").toString());
        scope.putObject("paths")
                .put("/workspace", scratch.resolve("project").toString())
                .put("/roost", home.toString());
        var token = token(scope);
        var run = fields(tool(token, "agent", script("pwd").put("cwd", "/workspace/sub")));
        assertThat(run.path("cwd").asString()).isEqualTo("/workspace/sub");
        assertThat(run.path("output_file").asString()).matches("/roost/runs/r_\\w+/output.md");
        assertThat(run.path("result").asString())
                .isEqualToIgnoringNewLines(
                        scratch.resolve("project/sub").toRealPath().toString());
        var refused = tool(token, "agent", script("pwd").put("cwd", "/workspace/.."));
        assertThat(code(refused)).isEqualTo("outside_project");
        assertThat(refused.toString()).contains("/workspace").doesNotContain(scratch.toString());
    }

    @Test
    void a_repeated_call_with_the_same_key_starts_no_second_run() throws Exception {
        var one = token("claude:one");
        var first = fields(tool(one, "agent", background("true"), "Idempotency-Key", "k1"))
                .path("run_id")
                .asString();
        restart();
        assertThat(fields(tool(one, "agent", background("true"), "Idempotency-Key", "k1"))
                        .path("run_id")
                        .asString())
                .isEqualTo(first);
        assertThat(fields(tool(one, "agent", background("true"), "Idempotency-Key", "k2"))
                        .path("run_id")
                        .asString())
                .isNotEqualTo(first);
        assertThat(fields(tool(token("claude:two"), "agent", background("true"), "Idempotency-Key", "k1"))
                        .path("run_id")
                        .asString())
                .as("keys are separate for each owner")
                .isNotEqualTo(first);
        refused(
                post("/mcp", one, toolCall("agent", background("true")).toString(), "Idempotency-Key", "two words"),
                400,
                "bad_idempotency_key");
    }

    @Test
    void the_operator_chooses_owner_and_directory() throws Exception {
        var list = toolCall("agent_list", JSON.createObjectNode()).toString();
        refused(post("/mcp", operatorsToken(), list), 400, "missing_owner");
        refused(post("/mcp", operatorsToken(), list, "Roost-Owner", "nobody"), 400, "bad_owner");
        refused(
                post("/mcp", operatorsToken(), list, "Roost-Owner", PARENT, "Roost-Directory", "/nowhere"),
                400,
                "no_such_directory");
        var run = sh("echo done");
        awaitEnd(run);
        assertThat(fields(tool(operatorsToken(), "agent_output", run(run), "Roost-Owner", PARENT))
                        .path("result")
                        .asString())
                .contains("done");
        assertThat(code(tool(operatorsToken(), "agent_output", run(run), "Roost-Owner", "claude:other")))
                .isEqualTo("no_such_run");
        assertThat(code(tool(operatorsToken(), "agent", script("true"), "Roost-Owner", PARENT)))
                .as("tools of a model run commands only if the token permits it")
                .isEqualTo("agent_not_allowed");
    }

    @Test
    void a_run_outlives_the_daemon_and_the_client_that_waited_for_it() throws Exception {
        var token = token("claude:box");
        var run = fields(tool(token, "agent", background("while [ ! -e go ]; do sleep 0.05; done; echo home")))
                .path("run_id")
                .asString();
        var waiting = client.sendAsync(
                request("/mcp", token, "Accept", BOTH)
                        .POST(java.net.http.HttpRequest.BodyPublishers.ofString(
                                toolCall("agent_output", run(run).put("block", true))
                                        .toString()))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        restart();
        assertThat(waiting.handle((_, failed) -> failed).get()).isNotNull();
        Files.createFile(scratch.resolve("go"));
        var result = fields(tool(token, "agent_output", run(run).put("block", true)));
        assertThat(result.path("result").asString()).contains("home");
    }

    @Test
    void a_client_that_disconnects_while_waiting_acknowledges_nothing_and_its_run_continues() throws Exception {
        var token = token("claude:box");
        for (var accept : List.of("application/json", BOTH)) {
            var name = accept.equals(BOTH) ? "streamed" : "plain";
            var body = toolCall(
                            "agent",
                            script("while [ ! -e %s ]; do sleep 0.05; done; echo home".formatted(name))
                                    .put("name", name))
                    .toString();
            try (var socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
                socket.getOutputStream()
                        .write(
                                "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nAccept: %s\r\nContent-Length: %d\r\n\r\n%s"
                                        .formatted(port(), token, accept, body.length(), body)
                                        .getBytes(StandardCharsets.UTF_8));
                await().atMost(SOON)
                        .until(() -> call("list", operator()).toString().contains("\"" + name + "\""));
                awaitPid(name);
            }
            Files.createFile(scratch.resolve(name));
            assertThat(awaitEnd(name).path("status").asString()).isEqualTo("completed");
            await().during(Duration.ofMillis(300))
                    .atMost(SOON)
                    .until(() -> show(name).path("unread").asBoolean());
        }
    }
}
