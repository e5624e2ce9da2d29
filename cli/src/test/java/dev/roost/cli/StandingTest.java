package dev.roost.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code roost} alone. */
class StandingTest extends RealCli {

    private Ran alone() {
        return roostWith("", Map.of("PATH", scratch.resolve("bin") + ":/usr/bin:/bin", "HOME", scratch.toString()));
    }

    private void harness(String name) throws IOException {
        var file = Files.createDirectories(scratch.resolve("bin")).resolve(name);
        assertThat(Files.writeString(file, "#!/bin/sh\n").toFile().setExecutable(true))
                .isTrue();
    }

    @Test
    void who_is_new_is_told_what_to_try_and_no_daemon_is_started_for_it() {
        var said = alone().ok().out();
        assertThat(said)
                .contains("Nothing has been run here yet", "~/home")
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
                .contains("1 live run, 1 ended and not read yet.")
                .contains("roost output " + unread, "roost ps --watch")
                .doesNotContain("roost demo");
        Files.createFile(Path.of(scratch.toString(), "go"));
    }
}
