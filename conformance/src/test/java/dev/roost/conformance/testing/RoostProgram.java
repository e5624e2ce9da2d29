package dev.roost.conformance.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.conformance.agents.AgentCliHome;
import dev.roost.testing.RoostCommandLines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code roost} as harnesses call it, from the compiled classes. */
public record RoostProgram(Path path) {

    static RoostProgram in(Path directory) throws IOException {
        var path = RoostCommandLines.roost(directory);
        Files.createSymbolicLink(
                directory.resolve("integrations"), Path.of("..", "integrations").toRealPath());
        return new RoostProgram(path);
    }

    /** Installs itself in a harness of that user. */
    void install(String harness, AgentCliHome user) throws IOException, InterruptedException {
        var process = user.process(List.of(path.toString(), "install", harness, "--yes"))
                .redirectErrorStream(true)
                .start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }
}
