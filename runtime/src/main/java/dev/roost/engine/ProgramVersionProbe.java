package dev.roost.engine;

import dev.roost.base.TextFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Runs a program with {@code --version}, with a timeout. */
public final class ProgramVersionProbe {

    private static final int LIMIT_SECONDS = 5;
    private static final int MAX_BYTES = 4096;

    private ProgramVersionProbe() {}

    public static Optional<String> of(Path program, Map<String, String> environment) {
        try {
            var builder = new ProcessBuilder(program.toString(), "--version")
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectError(ProcessBuilder.Redirect.DISCARD);
            builder.environment().putAll(environment);
            var process = builder.start();
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                return Optional.empty();
            }
            try (var out = process.getInputStream()) {
                // reads only available bytes: a process that the program left behind may hold the pipe open
                var text = new String(out.readNBytes(Math.min(out.available(), MAX_BYTES)), StandardCharsets.UTF_8);
                return text.lines()
                        .map(String::strip)
                        .filter(line -> !line.isEmpty())
                        .findFirst()
                        .map(TextFormat::printable);
            }
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
