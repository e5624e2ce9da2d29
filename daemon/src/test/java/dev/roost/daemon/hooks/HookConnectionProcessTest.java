package dev.roost.daemon.hooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.DaemonFixture;
import dev.roost.daemon.testing.SocketRpcClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Hooks over the socket: a client that disconnects before its answer has delivered nothing to its session. */
@Timeout(120)
class HookConnectionProcessTest extends DaemonFixture {

    @Override
    public Map<String, String> settings() {
        var settings = new HashMap<>(super.settings());
        settings.put("ROOST_WAKE_QUIET", "1ms");
        return settings;
    }

    private SocketRpcClient asking(String method, String event) throws IOException {
        var request = JSON.createObjectNode().put("method", method);
        request.putObject("params")
                .put("harness", "claude-code")
                .put("event", event)
                .put("input", "{\"session_id\":\"parent\",\"source\":\"startup\",\"prompt\":\"go on\"}");
        var own = new SocketRpcClient(home);
        own.send(request.toString());
        return own;
    }

    /** Confirms what it has printed, as {@code roost hook} does. */
    private String hook(String event) throws IOException {
        try (var own = asking("hook", event)) {
            var answer = own.line();
            if (!answer.equals("{}")) confirm(own);
            return answer;
        }
    }

    private static void confirm(SocketRpcClient own) throws IOException {
        own.send("written");
        assertThat(own.line()).isEqualTo("ok");
    }

    private static String digest(SocketRpcClient waker) throws IOException {
        var lines = new ArrayList<String>();
        for (var line = waker.line(); !line.equals(".end"); line = waker.line()) lines.add(line);
        return String.join("\n", lines);
    }

    private String ended() throws IOException {
        var run = sh("echo done");
        awaitEnd(run);
        return run;
    }

    /** So many offers were made, and none of them is left. */
    private void awaitWithdrawn(int made) {
        await().atMost(SOON).until(() -> count("sqlite_sequence WHERE name = 'offer' AND seq = " + made) == 1);
        await().atMost(SOON).untilAsserted(() -> assertThat(count("offer")).isZero());
        assertThat(count("notice WHERE offer IS NOT NULL")).isZero();
    }

    private int pending() throws IOException {
        return call("inbox", operator().put("owner", PARENT)).path("notices").size();
    }

    @Test
    void a_hook_that_disconnects_before_its_answer_delivers_nothing_and_the_next_turn_gets_it_once() throws Exception {
        hook("SessionStart");
        var run = ended();
        for (int made = 1; made <= 12; made++) {
            try (var own = asking("hook", "UserPromptSubmit")) {
                switch (made % 3) {
                    case 0 -> assertThat(own.line()).contains(run); // and it was killed before it had printed it
                    case 1 -> own.sayNoMore();
                    default -> {} // at once
                }
            }
            awaitWithdrawn(made);
        }
        assertThat(pending()).isOne();

        assertThat(hook("UserPromptSubmit")).contains(run);
        assertThat(count("offer WHERE written_at IS NOT NULL")).isOne();
        for (var event : new String[] {"PostToolUse", "Stop", "UserPromptSubmit", "Stop"})
            assertThat(hook(event)).as(event).isEqualTo("{}");
        assertThat(pending()).isZero();
    }

    @Test
    void a_wake_that_was_not_received_does_not_count_and_the_next_one_wakes_once() throws Exception {
        for (var event : new String[] {"SessionStart", "UserPromptSubmit", "Stop"}) hook(event);
        var run = ended();
        for (int made = 1; made <= 3; made++) {
            try (var waker = asking("wake", "Wake")) {
                switch (made) {
                    case 1 -> assertThat(digest(waker)).contains(run); // and it was killed before it had printed it
                    case 2 -> {
                        assertThat(digest(waker)).contains(run);
                        waker.sayNoMore();
                        assertThat(waker.lineOrEnd())
                                .as("nothing is acknowledged")
                                .isEmpty();
                    }
                    default -> waker.line(); // not confirmed
                }
            }
            awaitWithdrawn(made);
            assertThat(count("owner WHERE state = 'idle'")).isOne();
        }
        assertThat(pending()).isOne();

        try (var waker = asking("wake", "Wake")) {
            assertThat(digest(waker)).contains(run);
            confirm(waker);
        }
        assertThat(count("offer WHERE written_at IS NOT NULL")).isOne();
        for (var event : new String[] {"PostToolUse", "Stop", "UserPromptSubmit", "Stop"})
            assertThat(hook(event)).as(event).isEqualTo("{}");
        assertThat(pending()).isZero();
    }
}
