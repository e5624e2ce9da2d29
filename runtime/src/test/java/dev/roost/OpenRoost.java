package dev.roost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A home that a program holds by the library, and nothing else. */
abstract class OpenRoost {

    static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    Path scratch;

    private @Nullable Roost open;

    Path home() {
        return scratch.resolve("home");
    }

    Settings settings() {
        return Settings.DEFAULT.withOwner("app:test");
    }

    Roost roost() {
        if (open == null) open = Roost.open(home(), settings());
        return open;
    }

    void close() {
        roost().close();
        open = null;
    }

    Run awaitEnd(Run run) {
        var ended = roost().await(run.id(), SOON);
        assertThat(ended.status().ended()).as("%s has ended", ended).isTrue();
        return ended;
    }

    /** The process whose id it wrote there. */
    ProcessHandle written(Path file) throws IOException {
        await().atMost(SOON)
                .until(() -> Files.exists(file) && !Files.readString(file).isBlank());
        return ProcessHandle.of(Long.parseLong(Files.readString(file).strip())).orElseThrow();
    }

    /** Kills an agent and the perch that would have recorded its end, the perch first. */
    static void lose(ProcessHandle agent) {
        var perch = agent.parent().orElseThrow();
        perch.destroyForcibly();
        agent.destroyForcibly();
        await().atMost(SOON).until(() -> !agent.isAlive() && !perch.isAlive());
    }

    List<String> lines(String file) throws IOException {
        return Files.readAllLines(scratch.resolve(file));
    }

    @AfterEach
    void nothingIsLeft() {
        for (var run : roost().runs(Runs.Which.LIVE)) roost().stop(run.id());
        close();
    }
}
