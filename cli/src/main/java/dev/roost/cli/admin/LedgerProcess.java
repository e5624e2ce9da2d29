package dev.roost.cli.admin;

import dev.roost.cli.client.CallerEnvironment;
import dev.roost.cli.client.CliError;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.DaemonLauncher;
import dev.roost.cli.client.Invocation;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
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
            var process = launch(home);
            try (var out =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
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
        return new CliError(
                CliError.FAILED,
                "ledger_failed",
                "The ledger operation failed: %s.".formatted(why),
                "No data is lost; repeat the command.");
    }

    private Process launch(Path home) throws IOException {
        var words = new ArrayList<String>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(List.of(System.getProperty("roost.jvm", "").split(" ", -1)));
        words.removeIf(String::isEmpty);
        if (System.getProperty("roost.daemon.aot") != null)
            words.add("-XX:AOTCache=" + System.getProperty("roost.daemon.aot"));
        words.addAll(List.of(
                "-cp",
                System.getProperty("roost.daemon.classpath", System.getProperty("java.class.path")),
                "dev.roost.daemon.LedgerTool",
                home.toString(),
                verb));
        var builder = new ProcessBuilder(words)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        CallerEnvironment.give(caller.environment(), builder.environment());
        DaemonLauncher.keepSettings(builder.environment(), Map.of()); // so that it names the node as the daemon does
        if (url != null) builder.environment().put("ROOST_LEDGER", url);
        builder.environment().put("LC_ALL", "C.UTF-8");
        return builder.start();
    }
}
