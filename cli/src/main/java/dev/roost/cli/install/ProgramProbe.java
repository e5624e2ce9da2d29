package dev.roost.cli.install;

import dev.roost.cli.client.CallerEnvironment;
import dev.roost.cli.client.InteractiveUser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Starts a program and reads its answer. */
final class ProgramProbe {

    private ProgramProbe() {}

    /** The program's output and its duration. */
    record ProbeResult(String text, Duration took) {}

    /**
     * Writes {@code input} and reads the output: until the program's end or, if {@code lines} is not 0, so many lines, for
     * programs that run until their input closes.
     */
    static ProbeResult of(
            Map<String, String> environment, List<String> words, String input, int lines, Duration timeout)
            throws IOException {
        long startedAt = System.nanoTime();
        var builder = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.DISCARD);
        CallerEnvironment.give(environment, builder.environment());
        InteractiveUser.forget(builder.environment());
        var process = builder.start();
        var output = new FutureTask<>(() -> converse(process, input, lines));
        Thread.startVirtualThread(output); // not joined: a child process may keep the pipe open
        try {
            var text = output.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            var took = Duration.ofNanos(System.nanoTime() - startedAt);
            if (lines == 0) {
                if (!process.waitFor(timeout.minus(took).toMillis(), TimeUnit.MILLISECONDS))
                    throw new TimeoutException("it closed its output and keeps running");
                if (process.exitValue() != 0)
                    throw new IOException("ends with exit status %d".formatted(process.exitValue()));
            }
            return new ProbeResult(text, took);
        } catch (TimeoutException e) {
            throw new IOException("does not answer within %d seconds".formatted(timeout.toSeconds()), e);
        } catch (ExecutionException e) {
            throw new IOException("does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("was interrupted", e);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static String converse(Process process, String input, int lines) throws IOException {
        var output = new StringBuilder();
        try (var from = process.inputReader(StandardCharsets.UTF_8)) {
            write(process, input, lines == 0);
            int count = 0;
            for (var line = from.readLine(); line != null; line = from.readLine()) {
                output.append(line).append('\n');
                if (++count == lines) break;
            }
        }
        return output.toString();
    }

    private static void write(Process process, String input, boolean isAll) {
        try {
            var to = process.getOutputStream();
            to.write(input.getBytes(StandardCharsets.UTF_8));
            to.flush();
            if (isAll) to.close();
        } catch (IOException e) {
            // the program may answer without reading its input
        }
    }
}
