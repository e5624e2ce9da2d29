package dev.roost.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.house.Programs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code roost} as a harness calls it, made of what was just compiled. */
record RoostProgram(Path path) {

    static RoostProgram in(Path directory) throws IOException {
        var path = Programs.roost(directory);
        Files.createSymbolicLink(
                directory.resolve("integrations"), Path.of("..", "integrations").toRealPath());
        return new RoostProgram(path);
    }

    /** Wires itself into a harness of that user. */
    void install(String harness, CliHome user) throws IOException, InterruptedException {
        var process = user.process(List.of(path.toString(), "install", harness, "--yes"))
                .redirectErrorStream(true)
                .start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }
}
