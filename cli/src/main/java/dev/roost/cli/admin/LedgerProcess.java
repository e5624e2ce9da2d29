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

/** Has a ledger worked on by a process that ends with it; the address goes by the environment, where others do not see it. */
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
                    var said = DaemonClient.JSON.readTree(line);
                    if (said.has("progress")) progress.accept(said.get("progress"));
                    if (said.has("error")) throw CliError.shaped(process.waitFor(), said.get("error"));
                    if (said.has("done")) return said.get("done");
                }
            }
            throw failed("it ended before it was done");
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
                "The ledger could not be worked on: %s.".formatted(why),
                "Nothing is lost: do it again.");
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
        DaemonLauncher.keepSettings(builder.environment(), Map.of()); // so that it calls the node as the daemon will
        if (url != null) builder.environment().put("ROOST_LEDGER", url);
        builder.environment().put("LC_ALL", "C.UTF-8");
        return builder.start();
    }
}
