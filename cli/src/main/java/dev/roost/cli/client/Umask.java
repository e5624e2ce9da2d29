package dev.roost.cli.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** The caller's umask: from /proc on Linux, elsewhere from a child shell. */
public final class Umask {

    private static final Path STATUS = Path.of("/proc/self/status");

    private Umask() {}

    /** Empty if unknown; the default applies then. */
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
        var printed = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        return printed.matches("[0-7]{1,4}") ? Optional.of(printed) : Optional.empty();
    }
}
