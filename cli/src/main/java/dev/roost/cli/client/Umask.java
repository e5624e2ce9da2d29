package dev.roost.cli.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** What the shell that called would take from the modes of new files: Linux tells, elsewhere a child of ours does. */
public final class Umask {

    private static final Path STATUS = Path.of("/proc/self/status");

    private Umask() {}

    /** Empty where it cannot be found out: then it is the usual one. */
    public static Optional<String> ofThisProcess(Map<String, String> environment) {
        try {
            return isPortable(environment) ? byShell() : byKernel();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    static boolean isPortable(Map<String, String> environment) {
        return !System.getProperty("os.name").equals("Linux") || "1".equals(environment.get("ROOST_PORTABLE"));
    }

    static Optional<String> byKernel() throws IOException {
        try (var lines = Files.lines(STATUS)) {
            return lines.filter(line -> line.startsWith("Umask:"))
                    .findFirst()
                    .map(line -> line.substring(6).strip());
        }
    }

    static Optional<String> byShell() throws IOException {
        var shell = new ProcessBuilder("/bin/sh", "-c", "umask")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        shell.getOutputStream().close();
        var said = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        return said.matches("[0-7]{1,4}") ? Optional.of(said) : Optional.empty();
    }
}
