package dev.roost.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import tools.jackson.core.JacksonException;

/** Starts the daemon: in a session, a directory and an environment of its own, whoever happens to call. */
final class DaemonProcess {

    private static final List<String> KEPT_VARIABLES =
            List.of("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR");
    private static final int MOST_TRIES = 200;

    private DaemonProcess() {}

    /** Returns once {@code reachable}; a daemon that somebody else started meanwhile is as good. */
    static void start(Path home, BooleanSupplier reachable) {
        try {
            Files.createDirectories(
                    home, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            var process = launch(home);
            String line;
            try (var out =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                line = out.readLine();
            }
            if (line == null) throw failed("it ended before it served");
            var answer = Client.JSON.readTree(line);
            if (!answer.has("error")) return;
            if (!answer.path("error").path("code").asString("").equals("daemon_running")) {
                throw CliError.shaped(CliError.NO_DAEMON, answer.get("error"));
            }
            awaitOther(reachable);
        } catch (IOException | JacksonException e) {
            throw failed(String.valueOf(e.getMessage()));
        }
    }

    /** Another daemon was faster and has the home; it serves in a moment. */
    private static void awaitOther(BooleanSupplier reachable) {
        for (int i = 0; i < MOST_TRIES; i++) {
            if (reachable.getAsBoolean()) return;
            LockSupport.parkNanos(50_000_000);
        }
        throw failed("another one holds the home and does not answer");
    }

    private static CliError failed(String why) {
        return new CliError(
                CliError.NO_DAEMON,
                "no_daemon",
                "The daemon could not be started: %s.".formatted(why),
                "`roost daemon run` shows what happens; logs/daemon.0.log in the home has more.");
    }

    private static Process launch(Path home) throws IOException {
        var words = new ArrayList<String>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(List.of(System.getProperty("roost.jvm", "").split(" ", -1)));
        words.removeIf(String::isEmpty);
        words.add("-Droost.version=" + Main.version());
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), "dev.roost.daemon.Main"));
        words.addAll(List.of(home.toString(), "--detach"));
        var builder = new ProcessBuilder(words)
                .directory(home.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        var environment = builder.environment();
        environment.keySet().retainAll(KEPT_VARIABLES);
        environment.put("ROOST_HOME", home.toString());
        environment.put("ROOST_DAEMON", "1"); // so that no run takes it for one of its own processes
        return builder.start();
    }
}
