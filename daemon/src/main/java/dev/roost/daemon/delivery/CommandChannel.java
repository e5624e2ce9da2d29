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

/** {@code on_notice}: a program of the user's, without a shell, that is given the notice on its standard input. */
record CommandChannel(List<String> words) implements DeliveryChannel {

    private static final Duration LIMIT = Duration.ofSeconds(30);

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
        boolean over = false;
        try {
            var complaint = new StderrTail(process.getErrorStream());
            Thread.ofVirtual().start(() -> give(process, body));
            over = process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
            if (!over)
                return new DeliveryResult.Failed(
                        "it took longer than %s, and was ended".formatted(TextFormat.span(LIMIT)));
            if (process.exitValue() == 0) return new DeliveryResult.Delivered();
            return new DeliveryResult.Failed("exit status %d%s".formatted(process.exitValue(), complaint.text()));
        } finally {
            if (!over) end(process);
        }
    }

    private Process start() throws IOException {
        var builder = new ProcessBuilder(words).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().keySet().removeIf(name -> name.startsWith("ROOST_"));
        var home = Path.of(System.getProperty("user.home"));
        builder.directory((Files.isDirectory(home) ? home : Path.of("/")).toFile());
        return builder.start();
    }

    private static void give(Process process, byte[] body) {
        try (var in = process.getOutputStream()) {
            in.write(body);
        } catch (IOException e) {
            // it did not want to know more; its exit status says whether that is well
        }
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
