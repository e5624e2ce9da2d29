package dev.roost.rescue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Runs git in a checkout without letting it write there. */
record ReadOnlyGit(Path directory) {

    private static final int MOST_SECONDS = 30;

    /** The output of git; empty if it failed. */
    Optional<String> ask(String... words) {
        var command = new ArrayList<>(List.of("git", "--no-optional-locks", "-c", "core.fsmonitor=false"));
        command.addAll(List.of(words));
        var builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().keySet().removeIf(name -> name.startsWith("GIT_"));
        try {
            var process = builder.start();
            process.getOutputStream().close();
            try (var _ = Deadline.of(process, MOST_SECONDS)) {
                var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                return process.waitFor() == 0 ? Optional.of(output) : Optional.empty();
            }
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /** Kills a process after a timeout: the checkout may be on a disk that does not respond. */
    private record Deadline(Thread watch) implements AutoCloseable {
        static Deadline of(Process process, int seconds) {
            return new Deadline(Thread.ofVirtual().start(() -> {
                try {
                    if (!process.waitFor(seconds, TimeUnit.SECONDS)) process.destroyForcibly();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }));
        }

        @Override
        public void close() {
            watch.interrupt();
        }
    }
}
