package dev.roost.cli.testing;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;

/** A {@link CliFixture} with a scripted {@code claude} on the PATH. */
public abstract class ScriptedAgentCliFixture extends CliFixture {

    @BeforeEach
    void putClaudeOnThePath() throws IOException {
        var claude = scratch.resolve("bin/claude");
        Files.createDirectories(claude.getParent());
        try (var script = Objects.requireNonNull(ScriptedAgentCliFixture.class.getResourceAsStream("/claude"))) {
            Files.copy(script, claude);
        }
        if (!claude.toFile().setExecutable(true)) throw new IOException("cannot make it executable");
    }

    @Override
    Map<String, String> surroundings() {
        var environment = super.surroundings();
        environment.put("PATH", scratch.resolve("bin") + ":" + System.getenv("PATH"));
        return environment;
    }

    public String claude(String... words) {
        var all = new String[words.length + 3];
        System.arraycopy(new String[] {"run", "--agent", "claude"}, 0, all, 0, 3);
        System.arraycopy(words, 0, all, 3, words.length);
        return roost(all).ok().out().strip();
    }

    public void awaitQuestion(String id) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> roost("show", id, "--json").ok().json().has("question"));
    }

    public Path config(String text) throws IOException {
        var file = scratch.resolve("config/roost/config.toml");
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }
}
