package dev.roost.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cli.testing.CliFixture;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Where the system is asked by programs, and one of them does not answer. */
class PortableEvidenceProcessTest extends CliFixture {

    @Test
    void that_nobody_could_look_for_what_a_run_left_is_in_its_evidence() throws Exception {
        var bin = Files.createDirectory(scratch.resolve("bin"));
        var lsof = Files.writeString(bin.resolve("lsof"), "#!/bin/sh\nkill -9 $$\n");
        assertThat(lsof.toFile().setExecutable(true)).isTrue();
        var elsewhere = Map.of("ROOST_PORTABLE", "1", "PATH", bin + ":" + System.getenv("PATH"));
        var script = "touch $SCRATCH/began; until [ -e $SCRATCH/go ]; do sleep 0.1; done";
        var id = roostWith("", elsewhere, "run", "--", "sh", "-c", script)
                .ok()
                .out()
                .strip();
        await().atMost(Duration.ofMinutes(1)).until(() -> Files.exists(scratch.resolve("began")));
        // one of which only lsof could say that it is not the run's: what is older than the run is not asked about
        var stranger = new ProcessBuilder("sleep", "1000").start();
        try {
            touch("go");
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> roost("show", id, "--json").ok().json().has("ended_at"));
        } finally {
            stranger.destroyForcibly().waitFor();
        }
        var run = roost("show", id, "--json").ok().json();
        assertThat(run.path("status").asString()).isEqualTo("completed_empty");
        assertThat(run.path("evidence").path("note").asString()).contains("perhaps others", "lsof did not answer");
    }
}
