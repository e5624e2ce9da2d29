package dev.roost.cli.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Starts the daemon in its own session, directory and environment, independent of the caller's. */
public final class DaemonLauncher {

    private static final List<String> KEPT_VARIABLES =
            List.of("PATH", "HOME", "USER", "LOGNAME", "TZ", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR");
    private static final Pattern SETTING =
            Pattern.compile("ROOST_(MAX_[A-Z_]+|OVER_CAPACITY|DEFAULT_AGENT|QUIET_AFTER|BUDGET_[A-Z_]+|PORTABLE)");
    private static final Pattern USER_SETTING = Pattern.compile(
            "ROOST_(PERMISSIONS_[A-Z_]+|HTTP(_[A-Z]+)?|WAKE(_[A-Z]+)?|CHECKPOINT_[A-Z_]+|SLEEP_SIGNALS|LOG_FORMAT|TELEMETRY_[A-Z]+"
                    + "|LEDGER|NODE_[A-Z]+|NOTIFY_[A-Z_]+|FAULTS)|PGPASSWORD|PGPASSFILE|OTEL_EXPORTER_OTLP_(TRACES_ENDPOINT|ENDPOINT|HEADERS)");
    private static final int MAX_TRIES = 8;

    private DaemonLauncher() {}

    /** Returns once {@code reachable}, also if another process started the daemon meanwhile. */
    static void start(Invocation caller, Path home, Map<String, String> settings, BooleanSupplier reachable) {
        makeHome(home);
        try {
            for (int i = 0; i < MAX_TRIES; i++) {
                var answer = startReply(launch(caller, home, settings));
                if (!answer.has("error")) return;
                if (!answer.path("error").path("code").asString("").equals("daemon_running")) {
                    throw CliError.shaped(CliError.NO_DAEMON, answer.get("error"));
                }
                if (awaitServing(reachable)) return;
            }
            throw failed("another daemon holds the lock of the home and does not answer");
        } catch (IOException | JacksonException e) {
            throw failed(String.valueOf(e.getMessage()));
        }
    }

    private static void makeHome(Path home) {
        try {
            Files.createDirectories(
                    home, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException e) {
            throw CliErrorCode.HOME_UNUSABLE.error("The home %s cannot be used: %s.".formatted(home, CliError.why(e)));
        }
    }

    private static JsonNode startReply(Process daemon) throws IOException {
        try (var out = daemon.inputReader(StandardCharsets.UTF_8)) {
            for (var line = out.readLine(); line != null; line = out.readLine()) {
                if (line.startsWith("{")) return DaemonClient.JSON.readTree(line);
            }
        }
        throw failed("it exited before it was ready");
    }

    /** Waits up to 2 s for the daemon that holds the home's lock; it may be starting or stopping. */
    private static boolean awaitServing(BooleanSupplier reachable) {
        for (int i = 0; i < 40; i++) {
            if (reachable.getAsBoolean()) return true;
            LockSupport.parkNanos(50_000_000);
        }
        return false;
    }

    private static CliError failed(String why) {
        return CliErrorCode.NO_DAEMON.error(
                "The daemon could not be started: %s.".formatted(why),
                "Run `roost daemon run` to see why; logs/daemon.0.log in the home has more.");
    }

    public static void awaitEnd(ProcessHandle daemon) {
        while (isThere(daemon)) LockSupport.parkNanos(5_000_000);
    }

    /** False for a zombie, which has no program: a container's first process may never reap it. */
    public static boolean isThere(ProcessHandle process) {
        return process.isAlive() && process.info().command().isPresent();
    }

    private static Process launch(Invocation caller, Path home, Map<String, String> settings) throws IOException {
        var builder = program(caller, settings, "dev.roost.daemon.DaemonMain", home.toString(), "--detach")
                .directory(home.toFile());
        builder.environment().put("ROOST_HOME", home.toString());
        builder.environment().put("ROOST_DAEMON", "1"); // so that no run counts it among its own processes
        return builder.start();
    }

    /** A main class of the daemon with its arguments, in the environment that the daemon has. */
    public static ProcessBuilder program(Invocation caller, Map<String, String> settings, String... mainClass) {
        var words = new ArrayList<String>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(List.of(System.getProperty("roost.jvm", "").split(" ", -1)));
        words.removeIf(String::isEmpty);
        if (System.getProperty("roost.daemon.aot") != null)
            words.add("-XX:AOTCache=" + System.getProperty("roost.daemon.aot"));
        words.add("-Droost.version=" + Invocation.version());
        words.add("-cp");
        words.add(System.getProperty("roost.daemon.classpath", System.getProperty("java.class.path")));
        words.addAll(List.of(mainClass));
        var builder = new ProcessBuilder(words)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        CallerEnvironment.give(caller.environment(), builder.environment());
        keepSettings(builder.environment(), settings);
        builder.environment().put("LC_ALL", "C.UTF-8"); // Java's encoding of command lines and paths
        return builder;
    }

    /**
     * Keeps only the variables that a daemon reads settings from. A home with {@code settings} is temporary: it takes nothing
     * else from the user, or it would join their cluster and call their webhook.
     */
    public static void keepSettings(Map<String, String> environment, Map<String, String> settings) {
        boolean person = settings.isEmpty() && InteractiveUser.isTyping(Map.copyOf(environment));
        environment.keySet().removeIf(name -> !isKeptSetting(name, person));
        environment.putAll(settings);
    }

    /** An agent that starts the daemon cannot change what agents may do. */
    private static boolean isKeptSetting(String name, boolean person) {
        return KEPT_VARIABLES.contains(name)
                || SETTING.matcher(name).matches()
                || (person && USER_SETTING.matcher(name).matches());
    }
}
