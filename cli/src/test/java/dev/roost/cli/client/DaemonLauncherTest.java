package dev.roost.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DaemonLauncherTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Test
    void one_that_nobody_has_buried_is_not_there_any_more() throws Exception {
        var parent = new ProcessBuilder("sh", "-c", "sleep 1000 & echo $!; exec sleep 1000").start();
        try (var says = parent.inputReader()) {
            var child = ProcessHandle.of(Long.parseLong(says.readLine())).orElseThrow();
            assertThat(DaemonLauncher.isThere(child)).isTrue();
            child.destroyForcibly();
            await().atMost(SOON).until(() -> !DaemonLauncher.isThere(child));
            assertThat(child.isAlive()).as("it is still to be buried").isTrue();
            assertThat(DaemonLauncher.isThere(parent.toHandle())).isTrue();
        } finally {
            parent.destroyForcibly().waitFor();
        }
    }
}
