package dev.roost.cli.install;

import dev.roost.cli.client.CallerEnvironment;
import dev.roost.cli.client.InteractiveUser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A program that is started to see what it answers. */
final class ProgramProbe {

    private ProgramProbe() {}

    /** What it printed, and how long that took. Failure is an IOException that says why. */
    record ProbeResult(String text, Duration took) {}

    /**
     * Gives it {@code input} and reads what it says: until it ends or, where {@code lines} is not 0, until it has said so
     * many, for programs that go on as long as somebody listens.
     */
    static ProbeResult of(
            Map<String, String> environment, List<String> words, String input, int lines, Duration timeout)
            throws IOException {
        long began = System.nanoTime();
        var builder = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.DISCARD);
        CallerEnvironment.give(environment, builder.environment());
        InteractiveUser.forget(builder.environment());
        var process = builder.start();
        var said = new FutureTask<>(() -> converse(process, input, lines));
        Thread.startVirtualThread(said); // nobody waits for its end: whoever else has the pipe may keep it open
        try {
            var text = said.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            var took = Duration.ofNanos(System.nanoTime() - began);
            if (lines == 0) {
                if (!process.waitFor(timeout.minus(took).toMillis(), TimeUnit.MILLISECONDS))
                    throw new TimeoutException("it closed its output and goes on");
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
        var said = new StringBuilder();
        try (var from = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            tell(process, input, lines == 0);
            int heard = 0;
            for (var line = from.readLine(); line != null; line = from.readLine()) {
                said.append(line).append('\n');
                if (++heard == lines) break;
            }
        }
        return said.toString();
    }

    private static void tell(Process process, String input, boolean isAll) {
        try {
            var to = process.getOutputStream();
            to.write(input.getBytes(StandardCharsets.UTF_8));
            to.flush();
            if (isAll) to.close();
        } catch (IOException e) {
            // it may answer without listening
        }
    }
}
