package dev.roost.pauses;

import dev.roost.base.TextFormat;
import dev.roost.ledger.record.PauseWindow;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A command of the operator that runs before or after a pause, with a timeout. */
public record PauseHook(String name, List<String> argv) {

    private static final int TAIL_LENGTH = 300;

    /** Runs the command and returns a remark about it; empty if no command is configured. */
    public Optional<PauseWindow.PauseRemark> run(Path home, Duration timeout) {
        if (argv.isEmpty()) return Optional.empty();
        if (timeout.toMillis() <= 0) return Optional.of(failed("was not run, as no time was left for it"));
        Path output = null;
        try {
            output = Files.createTempFile(home.resolve("logs"), name + "-", ".log");
            return Optional.of(run(home, timeout, output));
        } catch (IOException e) {
            return Optional.of(failed("could not be started: " + e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of(failed("was interrupted"));
        } finally {
            delete(output);
        }
    }

    private PauseWindow.PauseRemark run(Path home, Duration timeout, Path output)
            throws IOException, InterruptedException {
        var builder = new ProcessBuilder(argv).directory(home.toFile()).redirectErrorStream(true);
        builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        builder.redirectOutput(output.toFile());
        builder.environment().put("ROOST_HOME", home.toString());
        var process = builder.start();
        if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
            return failed("took longer than %s and was ended".formatted(TextFormat.span(timeout)) + outputTail(output));
        }
        int status = process.exitValue();
        return status == 0
                ? new PauseWindow.PauseRemark("%s was run".formatted(name), false)
                : failed("exit status %d".formatted(status) + outputTail(output));
    }

    private PauseWindow.PauseRemark failed(String how) {
        return new PauseWindow.PauseRemark("%s: %s".formatted(name, how), true);
    }

    /** The last characters of the command's output. */
    private static String outputTail(Path output) throws IOException {
        var bytes = Files.readAllBytes(output);
        var text = new String(bytes, StandardCharsets.UTF_8).strip();
        if (text.isEmpty()) return "";
        return ": " + TextFormat.printable(text.substring(Math.max(0, text.length() - TAIL_LENGTH)));
    }

    private static void delete(@org.jspecify.annotations.Nullable Path output) {
        if (output == null) return;
        try {
            Files.deleteIfExists(output);
        } catch (IOException e) {
            output.toFile().deleteOnExit();
        }
    }
}
