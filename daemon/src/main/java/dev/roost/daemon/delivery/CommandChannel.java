package dev.roost.daemon.delivery;

import dev.roost.base.TextFormat;
import dev.roost.daemon.config.NotifySettings;
import dev.roost.ledger.record.Delivery;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** {@code on_notice}: a program of the user, run without a shell, with the notice on its standard input. */
record CommandChannel(List<String> words) implements DeliveryChannel {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration STDERR_TIMEOUT = Duration.ofMillis(200); // a child may keep the pipe open
    private static final int MOST_STDERR = 120;

    @Override
    public String name() {
        return NotifySettings.ON_NOTICE;
    }

    @Override
    public DeliveryResult deliver(Delivery delivery, byte[] body) throws InterruptedException {
        Process process;
        try {
            process = start();
        } catch (IOException e) {
            return new DeliveryResult.Failed(
                    "it cannot be started: " + TextFormat.printable(String.valueOf(e.getMessage())));
        }
        boolean exited = false;
        try {
            var stderr = new AtomicReference<>(new byte[0]);
            var reader = Thread.ofVirtual().start(() -> readTail(process.getErrorStream(), stderr));
            Thread.ofVirtual().start(() -> writeInput(process, body));
            exited = process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            if (!exited)
                return new DeliveryResult.Failed(
                        "it took longer than %s and was killed".formatted(TextFormat.span(TIMEOUT)));
            if (process.exitValue() == 0) return new DeliveryResult.Delivered();
            reader.join(STDERR_TIMEOUT);
            var text = new String(stderr.get(), StandardCharsets.UTF_8).strip();
            return new DeliveryResult.Failed("exit status %d%s"
                    .formatted(process.exitValue(), text.isEmpty() ? "" : ": " + TextFormat.printable(text)));
        } finally {
            if (!exited) end(process);
        }
    }

    private Process start() throws IOException {
        var builder = new ProcessBuilder(words).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().keySet().removeIf(name -> name.startsWith("ROOST_"));
        var home = Path.of(System.getProperty("user.home"));
        builder.directory((Files.isDirectory(home) ? home : Path.of("/")).toFile());
        return builder.start();
    }

    private static void writeInput(Process process, byte[] body) {
        try (var in = process.getOutputStream()) {
            in.write(body);
        } catch (IOException e) {
            // the program closed its input; its exit status tells whether that is an error
        }
    }

    /** Keeps the last bytes of standard error. It is read while the program runs, so that this never blocks on a full pipe. */
    private static void readTail(InputStream from, AtomicReference<byte[]> tail) {
        var buffer = new byte[4096];
        try (from) {
            for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
                var all = Arrays.copyOf(tail.get(), tail.get().length + n);
                System.arraycopy(buffer, 0, all, tail.get().length, n);
                tail.set(Arrays.copyOfRange(all, Math.max(0, all.length - MOST_STDERR), all.length));
            }
        } catch (IOException e) {
            // the pipe is closed
        }
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
