package dev.roost.pauses;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.ledger.record.PauseWindow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operator's hook runs if there is time for it, and its result is a remark. */
class PauseHookTest {

    @TempDir
    Path home;

    @Test
    void a_hook_without_time_left_is_not_started_and_gets_a_remark() throws IOException {
        Files.createDirectory(home.resolve("logs"));
        var hook = new PauseHook("on_pause", List.of("sh", "-c", "touch begun; sleep 600"));

        assertThat(hook.run(home, Duration.ofMillis(-250)))
                .contains(new PauseWindow.PauseRemark("on_pause: was not run, as no time was left for it", true));

        assertThat(home.resolve("begun")).doesNotExist();
    }
}
