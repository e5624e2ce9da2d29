package dev.roost.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cli.testing.CliFixture;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The portable half, with an lsof that does not answer. */
class PortableEvidenceProcessTest extends CliFixture {

    @Test
    void the_evidence_records_that_leftovers_could_not_be_searched() throws Exception {
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
        // a process that only lsof could tell from the run's; lsof is not run for processes older than the run
        var otherProcess = new ProcessBuilder("sleep", "1000").start();
        try {
            touch("go");
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> roost("show", id, "--json").ok().json().has("ended_at"));
        } finally {
            otherProcess.destroyForcibly().waitFor();
        }
        var run = roost("show", id, "--json").ok().json();
        assertThat(run.path("status").asString()).isEqualTo("completed_empty");
        assertThat(run.path("evidence").path("note").asString()).contains("perhaps others", "lsof did not answer");
    }
}
