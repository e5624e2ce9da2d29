package dev.roost.daemon.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.config.WakePolicy;
import dev.roost.home.Home;
import dev.roost.model.Owner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An environment contains secrets, so its file exists only while it is needed. */
class OwnerEnvironmentsTest {

    @TempDir
    Path scratch;

    @Test
    void a_failed_write_leaves_nothing_behind() throws IOException {
        var owner = new Owner("claude:5f0c");
        var environments = OwnerEnvironments.open(
                Home.open(scratch.resolve("home")),
                new WakePolicy(WakePolicy.Mode.HEADLESS, Duration.ZERO, 3, Duration.ZERO, Duration.ZERO),
                Instant.EPOCH);
        environments.remember(owner, Map.of("KEY", "first"));
        var kept = files().getFirst();
        Files.delete(kept);
        Files.createDirectories(kept.resolve("in the way"));
        environments.remember(owner, Map.of("KEY", "second"));
        assertThat(files()).containsExactly(kept);
    }

    private List<Path> files() throws IOException {
        try (var all = Files.list(scratch.resolve("home/owners"))) {
            return all.toList();
        }
    }
}
