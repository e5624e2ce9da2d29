package dev.roost.cli.admin;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.CliErrorCode;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.DaemonLauncher;
import dev.roost.cli.client.Invocation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Runs a ledger tool in a process of its own; passes the URL in the environment, which other users cannot read. */
record LedgerProcess(
        Invocation caller, String verb, @Nullable String url) {

    JsonNode run(Consumer<JsonNode> progress) {
        var home = caller.home();
        try {
            Files.createDirectories(
                    home, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            var builder = // with the daemon's settings, so that it names the node as the daemon does
                    DaemonLauncher.program(caller, Map.of(), "dev.roost.daemon.LedgerTool", home.toString(), verb);
            if (url != null) builder.environment().put("ROOST_LEDGER", url);
            var process = builder.start();
            try (var out = process.inputReader(StandardCharsets.UTF_8)) {
                for (var line = out.readLine(); line != null; line = out.readLine()) {
                    if (!line.startsWith("{")) continue;
                    var message = DaemonClient.JSON.readTree(line);
                    if (message.has("progress")) progress.accept(message.get("progress"));
                    if (message.has("error")) throw CliError.shaped(process.waitFor(), message.get("error"));
                    if (message.has("done")) return message.get("done");
                }
            }
            throw failed("the process exited before it was done");
        } catch (IOException e) {
            throw failed(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed("it was interrupted");
        }
    }

    private static CliError failed(String why) {
        return CliErrorCode.LEDGER_FAILED.error("The ledger operation failed: %s.".formatted(why));
    }
}
