package dev.roost.daemon.delivery;

import dev.roost.base.TextFormat;
import dev.roost.daemon.config.NotifySettings;
import dev.roost.ledger.record.Delivery;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code on_notice}: a program of the user, run without a shell, with the notice on its standard input. */
record CommandChannel(List<String> words) implements DeliveryChannel {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

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
            var stderr = new StderrTail(process.getErrorStream());
            Thread.ofVirtual().start(() -> writeInput(process, body));
            exited = process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            if (!exited)
                return new DeliveryResult.Failed(
                        "it took longer than %s and was killed".formatted(TextFormat.span(TIMEOUT)));
            if (process.exitValue() == 0) return new DeliveryResult.Delivered();
            return new DeliveryResult.Failed("exit status %d%s".formatted(process.exitValue(), stderr.text()));
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

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
