package dev.roost.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.testing.CliFixture;
import dev.roost.cli.view.RunLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code roost} alone. */
class StatusOverviewProcessTest extends CliFixture {

    private Ran alone() {
        return roostWith("", mine());
    }

    private Map<String, String> mine() {
        return Map.of("PATH", scratch.resolve("bin") + ":/usr/bin:/bin", "HOME", scratch.toString());
    }

    private void harness(String name) throws IOException {
        var file = Files.createDirectories(scratch.resolve("bin")).resolve(name);
        assertThat(Files.writeString(file, "#!/bin/sh\n").toFile().setExecutable(true))
                .isTrue();
    }

    @Test
    void who_is_new_is_told_what_to_try_and_no_daemon_is_started_for_it() {
        var said = coldWith("", mine()).ok().out();
        assertThat(said)
                .contains("You have no runs yet", "~/home")
                .contains("roost demo", "roost run -- make test", "roost --help")
                .doesNotContain("roost install");
        assertThat(Files.exists(home)).isFalse();
    }

    @Test
    void a_harness_that_does_not_know_of_it_is_named() throws IOException {
        harness("claude");
        assertThat(alone().ok().out()).contains("roost install claude-code").doesNotContain("roost install codex");
    }

    @Test
    void who_has_runs_sees_them_and_what_needs_them_first() throws IOException {
        var unread = start("echo done");
        await().atMost(Duration.ofSeconds(20))
                .until(() ->
                        roost("show", unread, "--json").json().path("unread").asBoolean());
        start("while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.1; done");
        assertThat(alone().ok().out())
                .contains("1 live run, 1 ended and unread.")
                .contains("roost output " + unread, "roost ps --watch")
                .doesNotContain("roost demo");
        Files.createFile(Path.of(scratch.toString(), "go"));
    }

    @Test
    void what_it_says_to_type_can_be_typed_whatever_a_run_is_called() {
        var odd = unread("done; rm -r *");
        assertThat(alone().ok().out()).contains("roost output " + odd);
        unread("plain-word");
        assertThat(alone().ok().out()).contains("roost output plain-word");
    }

    private String unread(String name) {
        var run = roost("run", "--name", name, "--", "true").ok().out().strip();
        await().atMost(Duration.ofSeconds(20))
                .until(() -> roost("show", run, "--json").json().path("unread").asBoolean());
        return run;
    }

    @Test
    void more_than_it_looked_at_are_not_counted_as_if_they_were_all() {
        var answer = ClientCommand.params();
        for (int i = 0; i < 3; i++)
            answer.withArray("runs")
                    .addObject()
                    .put("run_id", "r_" + i)
                    .put("unread", i == 0)
                    .put("created_at", "2026-01-01T00:00:00Z");
        assertThat(StatusOverview.sum(new RunLines(answer, false))).isEqualTo("2 live runs, 1 ended and unread.");
        var more = new RunLines(answer.put("next_cursor", "x"), false);
        assertThat(StatusOverview.sum(more)).isEqualTo("More than 3 runs are live, or ended and unread.");
        assertThat(String.join("\n", more.lines(100, 2))).contains("…and over 1 more.");
    }
}
