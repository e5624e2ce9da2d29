package dev.roost.daemon.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.daemon.testing.DaemonFixture;
import dev.roost.daemon.testing.SocketRpcClient;
import dev.roost.fuzz.FuzzRunner;
import dev.roost.fuzz.HostileValues;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Malformed requests of a harness over its bridge: each is answered, and the connection stays open. */
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class McpConnectionFuzzTest extends DaemonFixture {

    private static final int USUALLY = 250;

    private static final List<String> ODD_IDS =
            List.of("7", "\"x\"", "1.5", "-1", "99999999999999999999", "[1]", "{\"a\":1}", "true", "\"\\u0000\"");

    @Override
    public Map<String, String> settings() {
        var settings = new HashMap<>(super.settings());
        settings.put("HOME", scratch.toString());
        settings.put("ROOST_DEFAULT_AGENT", "command");
        return settings;
    }

    private String hello() {
        var params = JSON.createObjectNode().put("cwd", scratch.toString()).put("harness", "opencode");
        params.putObject("env").put("PATH", System.getenv("PATH"));
        return "{\"id\":0,\"method\":\"mcp\",\"params\":%s}".formatted(params);
    }

    private SocketRpcClient bridge() throws IOException {
        var bridge = new SocketRpcClient(home);
        bridge.send(hello());
        return bridge;
    }

    private static void checked(JsonNode answer) {
        assertThat(answer.path("jsonrpc").asString("")).as("%s", answer).isEqualTo("2.0");
        assertThat(answer.has("result") || answer.path("error").path("code").isInt())
                .as("%s", answer)
                .isTrue();
        assertThat(answer.toString())
                .doesNotContain("Exception", "dev.roost", "\\tat ", "made a mistake")
                .doesNotContainPattern("java\\.\\w");
        if (!answer.path("result").path("isError").asBoolean(false)) return;
        assertThat(answer.at("/result/structuredContent/error").propertyNames())
                .containsExactlyInAnyOrder("code", "message", "hint");
    }

    /** The tools and their fields. */
    private static Map<String, List<String>> tools(SocketRpcClient bridge) throws IOException {
        bridge.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
        var tools = new LinkedHashMap<String, List<String>>();
        for (var tool : JSON.readTree(bridge.line()).at("/result/tools"))
            tools.put(
                    tool.path("name").asString(),
                    List.copyOf(tool.at("/inputSchema/properties").propertyNames()));
        assertThat(tools).containsKeys("agent", "agent_list", "agent_output", "agent_stop", "agent_send");
        return tools;
    }

    private static String call(Random random, Map<String, List<String>> tools, String id) {
        var names = List.copyOf(tools.keySet());
        var name = names.get(random.nextInt(names.size()));
        var known = tools.getOrDefault(name, List.of());
        var fields = new ArrayList<String>();
        for (int i = random.nextInt(5); i > 0; i--)
            fields.add("\"%s\":%s".formatted(known.get(random.nextInt(known.size())), HostileValues.value(random)));
        return "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\",\"arguments\":%s}}"
                .formatted(
                        id,
                        name,
                        random.nextInt(10) == 0 ? HostileValues.value(random) : "{" + String.join(",", fields) + "}");
    }

    @Test
    void every_argument_of_every_tool_is_accepted_or_refused() throws Exception {
        try (var bridge = bridge()) {
            var tools = tools(bridge);
            FuzzRunner.run(USUALLY, List.of(new byte[0]), (mutations, shown) -> {
                var random = mutations.random();
                var request = call(random, tools, ODD_IDS.get(random.nextInt(ODD_IDS.size())));
                bridge.send(new String(shown.show(FuzzRunner.bytes(request)), java.nio.charset.StandardCharsets.UTF_8));
                checked(JSON.readTree(bridge.line()));
            });
        }
        assertThat(call("status", operator()).path("pid").asLong()).isEqualTo(daemon.pid());
        assertThat(home.resolve("logs/daemon.0.log"))
                .content()
                .doesNotContain("a call failed", "a tool call failed", "a request failed");
    }

    @Test
    void garbage_between_requests_does_no_harm() throws Exception {
        var samples = List.of(
                FuzzRunner.bytes(
                        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\"}}"),
                FuzzRunner.bytes("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/list\",\"params\":{}}"),
                FuzzRunner.bytes(
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":3}}"),
                FuzzRunner.bytes("[{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"},{\"id\":5,\"method\":\"ping\"}]"),
                FuzzRunner.bytes(
                        "{\"id\":6,\"method\":\"tools/call\",\"params\":{\"name\":\"agent_list\",\"arguments\":{\"limit\":3}}}"));
        FuzzRunner.run(USUALLY, samples, (mutations, shown) -> {
            try (var bridge = bridge()) {
                bridge.write(shown.show(mutations.next()));
                bridge.send("\n{\"jsonrpc\":\"2.0\",\"id\":\"last\",\"method\":\"ping\"}");
                var answer = JSON.readTree(bridge.line());
                while (!answer.path("id").asString("").equals("last")) {
                    checked(answer);
                    answer = JSON.readTree(bridge.line());
                }
            }
        });
        assertThat(call("status", operator()).path("pid").asLong()).isEqualTo(daemon.pid());
    }

    @Test
    void a_batch_and_a_request_without_a_method_are_refused_and_not_left_waiting() throws Exception {
        try (var bridge = bridge()) {
            for (var line : List.of("[{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"}]", "{\"id\":4}", "3")) {
                bridge.send(line);
                assertThat(JSON.readTree(bridge.line()).at("/error/code").asInt())
                        .as(line)
                        .isEqualTo(-32600);
            }
        }
    }

    @Test
    void an_invalid_handshake_is_refused_in_the_error_format() throws Exception {
        var samples = List.of(FuzzRunner.bytes(hello()));
        FuzzRunner.run(USUALLY / 5, samples, (mutations, shown) -> {
            try (var bridge = new SocketRpcClient(home)) {
                bridge.write(shown.show(mutations.next()));
                bridge.send("\n{\"jsonrpc\":\"2.0\",\"id\":\"last\",\"method\":\"ping\"}");
                bridge.sayNoMore();
                for (var line = bridge.lineOrEnd(); line.isPresent(); line = bridge.lineOrEnd())
                    assertThat(line.get())
                            .doesNotContain("Exception", "dev.roost", "made a mistake")
                            .doesNotContainPattern("java\\.\\w");
            }
        });
        try (var bridge = new SocketRpcClient(home)) {
            bridge.send(hello().replace("\"PATH\"", "\"CLAUDE_PROJECT_DIR\":\"a\\u0000b\",\"PATH\""));
            bridge.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
            checked(JSON.readTree(bridge.line()));
        }
    }
}
