package dev.roost.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.attempt.testing.QueuedRunFixture;
import dev.roost.model.ProcessId;
import dev.roost.model.Status;
import dev.roost.os.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An agent is started once, even if the perches and the daemon that launch it die. */
@Tag("portable")
class PerchLaunchProcessTest extends QueuedRunFixture {

    @Test
    void a_run_that_was_claimed_but_never_launched_is_started_once() throws IOException {
        service.close();
        var run = row("sh", "-c", "echo x >> \"$SCRATCH/count\"; echo ran");
        claim();
        service = open();
        assertThat(awaitEnd(show(run)).status()).isEqualTo(Status.COMPLETED);
        assertThat(scratch.resolve("count")).hasContent("x\n");
    }

    @Test
    void a_perch_killed_before_it_recorded_its_start_is_replaced_and_the_agent_runs_once() throws Exception {
        service.close();
        var run = row("sh", "-c", "echo x >> \"$SCRATCH/count\"; echo ran");
        var directory = home.run(run).attempt(1).path();
        exec(
                "mkfifo",
                directory.resolve("out").toString()); // the perch's child blocks here, before it becomes the agent
        service = open();
        await().atMost(SOON)
                .until(() ->
                        Files.exists(directory.resolve("begun.1")) && Files.size(directory.resolve("begun.1")) > 0);
        var words = Files.readString(directory.resolve("begun.1")).split(" ", -1);
        Files.delete(directory.resolve("out"));
        kill(new ProcessId(Long.parseLong(words[0]), Long.parseLong(words[1])));

        assertThat(awaitEnd(show(run)).status()).isEqualTo(Status.COMPLETED);
        assertThat(result(show(run))).isEqualTo("ran\n");
        assertThat(scratch.resolve("count")).hasContent("x\n");
        assertThat(directory.resolve("begun.2")).exists();
    }

    @Test
    void a_perch_revoked_by_a_new_daemon_runs_nothing_when_it_wakes() throws Exception {
        service.close();
        var run = row("sh", "-c", "echo x >> \"$SCRATCH/count\"; echo ran");
        var directory = home.run(run).attempt(1).path();
        claim();
        service = open();
        awaitEnd(show(run));
        // the perch that the dead daemon launched as number 1 runs only now
        var script = perchScript();
        exec(
                "env",
                "ROOST_BOOT=" + Processes.bootId(),
                "sh",
                script.toString(),
                directory.toString(),
                "1",
                "",
                "/dev/null",
                "sh",
                "-c",
                "echo x >> " + scratch.resolve("count"));
        assertThat(scratch.resolve("count")).hasContent("x\n");
    }

    @Test
    void a_second_perch_launched_by_a_dead_daemon_cannot_start_a_second_agent() throws Exception {
        service.close();
        var run = row("sh", "-c", "echo x >> \"$SCRATCH/count\"; echo ran");
        var directory = home.run(run).attempt(1).path();
        claim();
        // the first perch was killed before its agent started; it is unknown whether the daemon launched a second one
        var first = new ProcessBuilder("true").start();
        assertThat(first.waitFor()).isZero();
        Files.writeString(directory.resolve("begun.1"), "%d 1 %s\n".formatted(first.pid(), Processes.bootId()));

        service = open();

        assertThat(result(awaitEnd(show(run)))).isEqualTo("ran\n");
        assertThat(directory.resolve("begun.2")).hasContent("revoked");
        assertThat(directory.resolve("begun.3")).exists();
        assertThat(scratch.resolve("count")).hasContent("x\n");
    }

    @Test
    void a_perch_stopped_before_the_start_of_its_agent_is_resumed() throws Exception {
        service.close();
        var run = row("true");
        var directory = home.run(run).attempt(1).path();
        claim();
        var script = perchScript();
        var builder = new ProcessBuilder("sh", "-c", "kill -STOP $$; exec setsid sh \"$@\"", "sh", script.toString());
        builder.command().addAll(List.of(directory.toString(), "2", "", "/dev/null", "echo", "ran"));
        builder.environment()
                .putAll(Map.of("ROOST_UMASK", "022", "ROOST_PATH", "/usr/bin:/bin", "ROOST_BOOT", Processes.bootId()));
        var perch = builder.start();
        var stat = Path.of("/proc/" + perch.pid() + "/stat");
        await().atMost(SOON).until(() -> Files.readString(stat).contains(") T "));
        long born = Processes.ancestors(perch.pid()).getFirst().startTicks();
        Files.writeString(directory.resolve("begun.1"), "%d %s %s\n".formatted(perch.pid(), born, Processes.bootId()));

        service = open();

        assertThat(result(awaitEnd(show(run)))).isEqualTo("ran\n");
        assertThat(perch.waitFor()).isZero();
    }

    @Test
    void a_run_whose_records_were_lost_in_a_power_failure_is_not_started_again() throws IOException {
        var run = sh("echo x >> \"$SCRATCH/count\"; sleep 1000");
        awaitFile("count");
        var perch = perch(run);
        var agent = agent(run);
        service.close();
        kill(perch);
        kill(agent);
        var directory = home.run(run.id()).attempt(1).path();
        Files.delete(directory.resolve("start"));
        Files.delete(directory.resolve("begun.1"));
        service = open();
        assertThat(show(run).status()).isEqualTo(Status.ABANDONED);
        assertThat(scratch.resolve("count")).hasContent("x\n");
    }

    @Test
    void a_perch_of_an_earlier_boot_that_never_started_its_agent_is_replaced() throws IOException {
        service.close();
        var run = row("echo", "ran");
        claim();
        Files.writeString(home.run(run).attempt(1).path().resolve("begun.1"), "1 1 another-boot\n");
        service = open();
        assertThat(result(awaitEnd(show(run)))).isEqualTo("ran\n");
    }

    private Path perchScript() throws IOException {
        try (var scripts = Files.newDirectoryStream(home.root().resolve("lib"), "perch-*.sh")) {
            return scripts.iterator().next();
        }
    }
}
