package dev.roost.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.testing.CliFixture;
import dev.roost.cli.view.RunTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code roost} without a command. */
class StatusOverviewProcessTest extends CliFixture {

    private Ran overview() {
        return roostWith("", environment());
    }

    private Map<String, String> environment() {
        return Map.of("PATH", scratch.resolve("bin") + ":/usr/bin:/bin", "HOME", scratch.toString());
    }

    private void harness(String name) throws IOException {
        var file = Files.createDirectories(scratch.resolve("bin")).resolve(name);
        assertThat(Files.writeString(file, "#!/bin/sh\n").toFile().setExecutable(true))
                .isTrue();
    }

    @Test
    void a_new_user_sees_suggestions_and_no_daemon_is_started() {
        var output = coldWith("", environment()).ok().out();
        assertThat(output)
                .contains("You have no runs yet", "~/home")
                .contains("roost demo", "roost run -- make test", "roost --help")
                .doesNotContain("roost install");
        assertThat(Files.exists(home)).isFalse();
    }

    @Test
    void install_is_suggested_for_a_harness_that_is_not_wired() throws IOException {
        harness("claude");
        assertThat(overview().ok().out()).contains("roost install claude-code").doesNotContain("roost install codex");
    }

    @Test
    void a_user_with_runs_sees_them_and_the_most_urgent_suggestion_first() throws IOException {
        var unread = start("echo done");
        await().atMost(Duration.ofSeconds(20))
                .until(() ->
                        roost("show", unread, "--json").json().path("unread").asBoolean());
        start("while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.1; done");
        assertThat(overview().ok().out())
                .contains("1 live run, 1 ended and unread.")
                .contains("roost output " + unread, "roost ps --watch")
                .doesNotContain("roost demo");
        Files.createFile(Path.of(scratch.toString(), "go"));
    }

    @Test
    void suggested_commands_are_valid_for_any_run_name() {
        var odd = unread("done; rm -r *");
        assertThat(overview().ok().out()).contains("roost output " + odd);
        unread("plain-word");
        assertThat(overview().ok().out()).contains("roost output plain-word");
    }

    private String unread(String name) {
        var run = roost("run", "--name", name, "--", "true").ok().out().strip();
        await().atMost(Duration.ofSeconds(20))
                .until(() -> roost("show", run, "--json").json().path("unread").asBoolean());
        return run;
    }

    @Test
    void a_cut_list_is_not_counted_as_complete() {
        var answer = ClientCommand.params();
        for (int i = 0; i < 3; i++)
            answer.withArray("runs")
                    .addObject()
                    .put("run_id", "r_" + i)
                    .put("unread", i == 0)
                    .put("created_at", "2026-01-01T00:00:00Z");
        assertThat(StatusOverview.sum(new RunTable(answer, false))).isEqualTo("2 live runs, 1 ended and unread.");
        var more = new RunTable(answer.put("next_cursor", "x"), false);
        assertThat(StatusOverview.sum(more)).isEqualTo("More than 3 runs are live, or ended and unread.");
        assertThat(String.join("\n", more.lines(100, 2))).contains("…and over 1 more.");
    }
}
