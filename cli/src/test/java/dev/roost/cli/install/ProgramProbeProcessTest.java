package dev.roost.cli.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.cli.testing.CliFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A program that does not answer is killed with its child processes. */
class ProgramProbeProcessTest {

    @TempDir
    Path scratch;

    @Test
    @Timeout(20)
    void a_child_that_keeps_the_pipe_open_does_not_delay_the_probe() throws Exception {
        gone("sleep 100 & echo $! >\"$0\"; wait");
        gone("exec >/dev/null; sleep 100 & echo $! >\"$0\"; wait");
    }

    @Test
    @Timeout(20)
    void a_child_in_its_own_session_does_not_delay_the_probe() throws Exception {
        var child = unanswered("(setsid sleep 100 & echo $! >\"$0\") & sleep 100");
        ProcessHandle.of(child).ifPresent(ProcessHandle::destroyForcibly);
    }

    private void gone(String script) throws IOException {
        long child = unanswered(script);
        await().atMost(Duration.ofSeconds(10)).until(() -> !CliFixture.alive(child));
    }

    private long unanswered(String script) throws IOException {
        var pid = scratch.resolve("pid");
        assertThatThrownBy(() -> ProgramProbe.of(
                        System.getenv(), List.of("sh", "-c", script, pid.toString()), "", 0, Duration.ofSeconds(1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("does not answer within 1 seconds");
        assertThat(pid).exists();
        return Long.parseLong(Files.readString(pid).strip());
    }
}
