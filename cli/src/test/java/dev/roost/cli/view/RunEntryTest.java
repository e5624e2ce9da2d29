package dev.roost.cli.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cli.client.DaemonClient;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

class RunEntryTest {

    @Test
    void a_parked_run_shows_its_end_in_local_time() {
        var run = DaemonClient.JSON.createObjectNode().put("status", "queued").put("phase", "parked");
        var now = Instant.now();
        var wall = DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT).withZone(ZoneId.systemDefault());
        assertThat(RunEntry.of(run.deepCopy().put("parked_until", now.toString()))
                        .state())
                .isEqualTo("queued parked until " + wall.format(now));
        assertThat(RunEntry.of(run.put("parked_until", "2001-02-03T04:10:00Z")).state())
                .matches("queued parked until 2001-02-0\\d \\d\\d:\\d\\d");
    }

    @Test
    void a_signal_or_exit_status_is_shown_only_if_it_is_the_cause() {
        var run = DaemonClient.JSON.createObjectNode().put("status", "failed").put("run_id", "r_1");
        run.putObject("evidence").put("signal", 15).put("exit_status", 143);
        assertThat(RunEntry.of(run.deepCopy().put("cause", "signal")).end()).contains("(signal 15)");
        assertThat(RunEntry.of(run.deepCopy().put("cause", "exit_code")).end()).contains("(exit_code 143)");
        assertThat(RunEntry.of(run.deepCopy().put("cause", "budget_time")).end())
                .contains("(budget_time)");
    }

    @Test
    void usage_is_abbreviated() {
        var usage =
                DaemonClient.JSON.createObjectNode().put("input_tokens", 11_700).put("output_tokens", 300);
        assertThat(used(usage)).isEqualTo("12k tokens");
        assertThat(used(usage.deepCopy().put("cost_usd", 0.34))).isEqualTo("12k tokens, $0.34");
        assertThat(used(usage.deepCopy().put("cost_usd", 0.0016))).isEqualTo("12k tokens, $0.0016");
        assertThat(used(usage.put("input_tokens", 1_300_000))).isEqualTo("1.3M tokens");
        assertThat(used(DaemonClient.JSON.createObjectNode())).isEmpty();
    }

    private static String used(ObjectNode usage) {
        var run = DaemonClient.JSON.createObjectNode();
        run.set("usage", usage);
        return RunEntry.of(run).used();
    }
}
