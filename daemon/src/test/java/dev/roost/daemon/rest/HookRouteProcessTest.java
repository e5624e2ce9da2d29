package dev.roost.daemon.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.HttpFixture;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Hooks over HTTP: what a session gets, and what acknowledges it. */
class HookRouteProcessTest extends HttpFixture {

    private static final String OWNER = "claude:s1";

    private static final String INPUT =
            "{\"session_id\":\"s1\",\"cwd\":\"/\",\"source\":\"startup\",\"prompt\":\"go on\"}";

    private JsonNode hook(String token, String event) throws Exception {
        var answer = post("/hooks/claude-code/" + event, token, INPUT);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body());
    }

    private String ended(String owner) throws Exception {
        var run = call("start", task("sh", "-c", "echo done").put("caller", owner))
                .path("run_id")
                .asString();
        awaitEnd(run);
        return run;
    }

    private int pending(String owner) throws Exception {
        return call("inbox", operator().put("owner", owner)).path("notices").size();
    }

    @Test
    void a_session_gets_its_notices_once_at_the_first_hook() throws Exception {
        var token = operatorsToken();
        assertThat(hook(token, "SessionStart").isEmpty())
                .as("no pending notice")
                .isTrue();
        var run = ended(OWNER);
        assertThat(hook(token, "UserPromptSubmit").toString()).contains("additionalContext", run);
        awaitOffered(1);
        assertThat(hook(token, "PostToolUse").isEmpty()).as("one offer a turn").isTrue();
        assertThat(pending(OWNER))
                .as("the model continued, so the offer is acknowledged")
                .isZero();
        assertThat(hook(token, "Stop").isEmpty()).isTrue();
    }

    @Test
    void a_run_that_ends_during_a_turn_is_reported_at_the_end_of_the_turn() throws Exception {
        var token = operatorsToken();
        hook(token, "SessionStart");
        hook(token, "UserPromptSubmit");
        var run = ended(OWNER);
        var answer = hook(token, "Stop");
        assertThat(answer.path("hookSpecificOutput").path("additionalContext").asString())
                .contains(run);
        awaitOffered(1);
        restart();
        assertThat(hook(token, "Stop").isEmpty()).isTrue();
        assertThat(pending(OWNER)).isZero();
    }

    @Test
    void a_token_acts_only_for_its_own_owner() throws Exception {
        var token = token("claude:box");
        var theirs = ended(OWNER);
        var own = ended("claude:box");
        var told = hook(token, "SessionStart").toString();
        assertThat(told).contains(own).doesNotContain(theirs);
        assertThat(pending(OWNER)).isOne();
        assertThat(hook(operatorsToken(), "SessionStart").toString()).contains(theirs);
    }

    @Test
    void unknown_input_is_refused_or_ignored() throws Exception {
        refused(post("/hooks/klingon/Stop", operatorsToken(), INPUT), 400, "unknown_harness");
        assertThat(hook(operatorsToken(), "SomethingNew").isEmpty()).isTrue();
        refused(post("/hooks/claude-code/Stop", operatorsToken(), "[]"), 400, "bad_json");
        assertThat(get("/hooks/claude-code/Stop", operatorsToken()).statusCode())
                .isEqualTo(405);
    }

    @Test
    void a_session_that_disconnects_before_the_answer_has_got_no_offer() throws Exception {
        var run = ended(OWNER);
        for (int i = 1; i <= 10; i++) {
            int made = i;
            goBeforeTheAnswer(i % 2 == 0);
            await().atMost(SOON).until(() -> count("owner WHERE turn = " + made) == 1); // the event was recorded
        }
        await().during(Duration.ofMillis(300))
                .atMost(SOON)
                .untilAsserted(() -> assertThat(offers("true")).isZero());
        assertThat(hook(operatorsToken(), "SessionStart").toString()).contains(run);
        awaitOffered(1);
    }

    /** A moment after the answer has been written. */
    private void awaitOffered(int n) {
        await().atMost(SOON).until(() -> offers("written_at IS NOT NULL") == n);
    }

    private void goBeforeTheAnswer(boolean abrupt) throws Exception {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            if (abrupt) socket.setSoLinger(true, 0);
            var request =
                    "POST /hooks/claude-code/SessionStart HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s"
                            .formatted(port(), operatorsToken(), INPUT.length(), INPUT);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        }
    }

    private int offers(String which) {
        return count("offer WHERE " + which);
    }
}
