package dev.roost.daemon.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.daemon.testing.HttpFixture;
import dev.roost.fuzz.FuzzRunner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.core.JacksonException;

/** Requests of the page, the tools, hooks and meters with anything done to their bytes. RestApiFuzzTest does so to the API. */
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HttpEndpointFuzzTest extends HttpFixture {

    private static final int USUALLY = 600;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private List<byte[]> samples(String token, int port) {
        var body =
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"agent_list\",\"arguments\":{}}}";
        var head = " HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n".formatted(port, token);
        var samples = new ArrayList<byte[]>();
        for (var path : List.of(
                "/",
                "/healthz",
                "/readyz",
                "/metrics",
                "/runs/r_x",
                "/assets/htmx.min.js",
                "/assets/../../token",
                "/%2e%2e/%2e%2e/token",
                "/..%2f..%2fetc/passwd",
                "/a%00b",
                "//etc/passwd",
                "/?token=" + "x".repeat(43)))
            samples.add(FuzzRunner.bytes("GET " + path + head + "Origin: http://127.0.0.1:%d\r\n\r\n".formatted(port)));
        samples.add(FuzzRunner.bytes("POST /mcp" + head
                + "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s".formatted(body.length(), body)));
        samples.add(FuzzRunner.bytes("POST /mcp" + head
                + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n"
                        .formatted(body.length(), body)));
        samples.add(FuzzRunner.bytes("POST /hook/claude-code/SessionStart" + head
                + "Content-Type: application/json\r\nContent-Length: 18\r\n\r\n{\"session_id\":\"a\"}"));
        return samples;
    }

    @Test
    void any_input_is_answered_or_disconnected_and_reveals_nothing() throws Exception {
        var token = token("claude:fuzz");
        int port = port();
        FuzzRunner.run(USUALLY, samples(token, port), (mutations, shown) -> {
            var answer = exchange(port, shown.show(mutations.next()), PATIENCE);
            if (answer.isEmpty()) return;
            assertThat(answer).containsPattern("^HTTP/1\\.1 ([1234]\\d\\d|501|503|505)[ \r]");
            assertThat(answer)
                    .doesNotContain("root:x:", "\tat ", "java.lang", "made a mistake", operatorsToken())
                    .doesNotContain("dev.roost");
            inTheOneShape(answer);
        });
        assertThat(get("/healthz", "").body()).isEqualTo("ok");
        assertThat(call("status", operator()).path("pid").asLong()).isEqualTo(daemon.pid());
        assertThat(home.resolve("logs/daemon.0.log")).content().doesNotContain("a request failed");
    }

    /** Where we answer and not the server under us, which knows no JSON. */
    private static void inTheOneShape(String answer) {
        int body = answer.indexOf("\r\n\r\n{\"error\":");
        if (body < 0 || !answer.startsWith("HTTP/1.1 4")) return;
        try {
            assertThat(JSON.readTree(answer.substring(body + 4)
                                    .lines()
                                    .findFirst()
                                    .orElse(""))
                            .path("error")
                            .propertyNames())
                    .containsExactlyInAnyOrder("code", "message", "hint");
        } catch (JacksonException e) {
            assertThat(answer).as("a truncated error, or one of JSON-RPC").contains("\"message\"");
        }
    }
}
