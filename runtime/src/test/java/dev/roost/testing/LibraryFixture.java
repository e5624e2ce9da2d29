package dev.roost.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.Roost;
import dev.roost.Run;
import dev.roost.Runs;
import dev.roost.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A home that the test opens with the library. */
public abstract class LibraryFixture {

    public static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    public Path scratch;

    private @Nullable Roost open;

    public Path home() {
        return scratch.resolve("home");
    }

    public Settings settings() {
        return Settings.DEFAULT.withOwner("app:test");
    }

    public Roost roost() {
        if (open == null) open = Roost.open(home(), settings());
        return open;
    }

    public void close() {
        roost().close();
        open = null;
    }

    public Run awaitEnd(Run run) {
        var ended = roost().await(run.id(), SOON);
        assertThat(ended.status().ended()).as("%s has ended", ended).isTrue();
        return ended;
    }

    /** The process whose pid the agent wrote to the file. */
    public ProcessHandle written(Path file) throws IOException {
        await().atMost(SOON)
                .until(() -> Files.exists(file) && !Files.readString(file).isBlank());
        return ProcessHandle.of(Long.parseLong(Files.readString(file).strip())).orElseThrow();
    }

    /** Kills an agent and the perch that would have recorded its end, the perch first. */
    public static void lose(ProcessHandle agent) {
        var perch = agent.parent().orElseThrow();
        perch.destroyForcibly();
        agent.destroyForcibly();
        await().atMost(SOON).until(() -> !agent.isAlive() && !perch.isAlive());
    }

    public List<String> lines(String file) throws IOException {
        return Files.readAllLines(scratch.resolve(file));
    }

    @AfterEach
    void nothingIsLeft() {
        for (var run : roost().runs(Runs.Selection.LIVE)) roost().stop(run.id());
        close();
    }
}
