package dev.roost.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DaemonLauncherTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Test
    void a_zombie_counts_as_ended() throws Exception {
        var parent = new ProcessBuilder("sh", "-c", "sleep 1000 & echo $!; exec sleep 1000").start();
        try (var says = parent.inputReader()) {
            var child = ProcessHandle.of(Long.parseLong(says.readLine())).orElseThrow();
            assertThat(DaemonLauncher.isThere(child)).isTrue();
            await().atMost(SOON) // the shell would reap its child, `sleep` does not
                    .until(() -> parent.info().command().orElse("").endsWith("sleep"));
            child.destroyForcibly();
            await().atMost(SOON).until(() -> !DaemonLauncher.isThere(child));
            assertThat(child.isAlive()).as("a zombie").isTrue();
            assertThat(DaemonLauncher.isThere(parent.toHandle())).isTrue();
        } finally {
            parent.destroyForcibly().waitFor();
        }
    }
}
