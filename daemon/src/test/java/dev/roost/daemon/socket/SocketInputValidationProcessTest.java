package dev.roost.daemon.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.daemon.testing.DaemonFixture;
import dev.roost.daemon.testing.SocketRpcClient;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** What the socket refuses: in one shape, with the next step, and leaving nothing behind. */
class SocketInputValidationProcessTest extends DaemonFixture {

    @Override
    public boolean sharesDaemon() {
        return true;
    }

    @Test
    void invalid_input_is_refused_in_one_format_and_leaves_nothing_behind() throws IOException {
        refused("start", task("no-such-program"), "no_such_executable");
        refused("start", task("true").put("cwd", "/no/such/dir"), "no_such_directory");
        refused("start", task("true").put("cwd", "a\0b"), "no_such_directory");
        refused("start", task("true").put("name", "a\0b"), "bad_name");
        refused("start", task("true").put("agent", "clippy"), "unknown_agent");
        refused("start", task("true").put("owner", "nobody"), "bad_owner");
        refused("start", task("true").put("max_time", "300"), "duration_without_unit");
        refused("start", task("true").put("max_time", "0s"), "bad_duration");
        refused("start", task("true").put("max_time", "999999d"), "bad_duration");
        refused("start", task("true").put("on_loss", "panic"), "bad_field");
        refused("start", task("true").put("on_loss", "resume"), "cannot_resume");
        refused("start", task("true").put("on", "gpu"), "bad_field");
        var gpu = task("true");
        gpu.putArray("on").add("gpu");
        refused("start", gpu, "no_cluster");
        refused("start", task("true").put("colour", "red"), "unknown_field");
        refused("start", task("true").put("prompt", "both"), "bad_task");
        refused("start", task(), "bad_task");
        var prompt = task();
        prompt.remove("argv");
        refused("start", prompt.put("prompt", "x".repeat(2 << 20)), "prompt_too_long");
        refused("start", prompt.put("prompt", "  "), "empty_prompt");
        refused("start", JSON.createObjectNode(), "missing_field");
        refused("levitate", params(), "unknown_method");
        refused("show", params().put("run_id", "r_nope"), "no_such_run");
        refused("stop", params().put("run_id", "nope"), "no_such_run");
        refused("output", params(), "one_id");
        refused("output", params().put("run_id", "a").put("session_id", "b"), "one_id");
        refused("acknowledge", ids("12"), "bad_notice");
        refused("start", task("true").put("owner", "claude:other"), "not_your_owner");
        var odd = task("true");
        odd.putObject("max_time");
        refused("start", odd, "bad_field");
        refused("backup", operator().put("file", "/a\0b"), "bad_field");
        assertThat(call("list", operator().put("filter", "all")).path("runs").size())
                .isZero();
        try (var directories = Files.list(home.resolve("runs"))) {
            assertThat(directories).isEmpty();
        }
    }

    private ObjectNode ids(String id) {
        var params = params();
        params.putArray("notice_ids").add(id);
        return params;
    }

    @Test
    void a_timeout_given_in_seconds_is_refused_with_its_meaning() throws IOException {
        var run = sh("sleep 1000");
        var params = params().put("run_id", run).put("block", true);
        var error = error("output", params.put("timeout_ms", 300));
        assertThat(error.path("code").asString()).isEqualTo("timeout_too_short");
        assertThat(error.path("message").asString()).contains("0.3 seconds");
        assertThat(error.path("hint").asString()).contains("300000").contains("300s");
        refused("output", params.put("timeout_ms", "300"), "duration_without_unit");
        refused("output", params.put("timeout_ms", 3_600_001), "timeout_out_of_range");
        refused("output", params.put("timeout_ms", "2h"), "timeout_out_of_range");
        refused("output", params.put("timeout_ms", -5), "timeout_out_of_range");
        var output = call("output", params.put("timeout_ms", 1000));
        assertThat(output.path("timed_out").asBoolean()).isTrue();
        assertThat(output.path("waited_ms").asLong()).isGreaterThanOrEqualTo(1000);
        assertThat(output.path("status").asString()).isEqualTo("running");
    }

    @Test
    void an_ambiguous_prefix_is_refused_with_the_candidates() throws IOException {
        var one = sh("true");
        var two = sh("true");
        var error = error("show", params().put("run_id", "r_0"));
        assertThat(error.path("code").asString()).isEqualTo("ambiguous_run");
        assertThat(error.path("message").asString()).contains(one).contains(two);
    }

    @Test
    void garbage_gets_an_answer_and_the_connection_stays_open() throws IOException {
        rpc().send("this is not json");
        assertThat(rpc().line()).contains("bad_json");
        rpc().send("[1,2,3]");
        assertThat(rpc().line()).contains("bad_request");
        rpc().send("{\"id\":7,\"method\":42}");
        assertThat(rpc().line()).contains("bad_request").contains("\"id\":7");
        assertThat(call("status", params()).path("live").asInt()).isZero();
    }

    @Test
    void an_endless_line_is_refused_before_it_fills_the_memory() throws IOException {
        try (var flood = new SocketRpcClient(home)) {
            flood.write("x".repeat((8 << 20) + 1));
            assertThat(flood.line()).contains("line_too_long");
        }
        assertThat(call("status", params()).has("pid")).isTrue();
    }

    @Test
    void an_invalid_path_is_reported_as_not_found() throws IOException {
        var agents = call("agents", operator().put("cwd", scratch.toString()).put("path", "/no\0where"));
        assertThat(agents.path("agents").isEmpty()).isFalse();
    }

    @Test
    void an_unpaired_surrogate_is_refused_in_every_field() throws IOException {
        for (var field :
                new String[] {"\"name\":\"%s\"", "\"argv\":[\"%s\"]", "\"env\":{\"A\":\"%s\"}", "\"cwd\":\"%s\""}) {
            rpc().send(
                            "{\"id\":1,\"method\":\"start\",\"params\":{\"caller\":\"a:b\",\"prompt\":\"true\",\"cwd\":\"/\",%s}}"
                                    .formatted(field.formatted("\\ud83d")));
            assertThat(rpc().line()).as(field).contains("bad_field").contains("valid Unicode text");
        }
    }

    @Test
    void an_impossible_attempt_number_is_reported_as_unknown() throws IOException {
        var run = sh("sleep 1000");
        refused("output", params().put("run_id", run).put("attempt", 99_999_999_999L), "no_such_attempt");
    }
}
