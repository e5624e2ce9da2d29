package dev.roost.cli.client;

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
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Starts the daemon: in a session, a directory and an environment of its own, whoever happens to call. */
public final class DaemonLauncher {

    private static final List<String> KEPT_VARIABLES =
            List.of("PATH", "HOME", "USER", "LOGNAME", "TZ", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR");
    private static final Pattern SETTING =
            Pattern.compile("ROOST_(MAX_[A-Z_]+|OVER_CAPACITY|DEFAULT_AGENT|QUIET_AFTER|BUDGET_[A-Z_]+|PORTABLE)");
    private static final Pattern PERSONS_SETTING = Pattern.compile(
            "ROOST_(PERMISSIONS_[A-Z_]+|HTTP(_[A-Z]+)?|WAKE(_[A-Z]+)?|CHECKPOINT_[A-Z_]+|SLEEP_SIGNALS|LOG_FORMAT|TELEMETRY_[A-Z]+"
                    + "|LEDGER|NODE_[A-Z]+|NOTIFY_[A-Z_]+|FAULTS)|PGPASSWORD|PGPASSFILE|OTEL_EXPORTER_OTLP_(TRACES_ENDPOINT|ENDPOINT|HEADERS)");
    private static final int MOST_TRIES = 8;

    private DaemonLauncher() {}

    /** Returns once {@code reachable}; a daemon that somebody else started meanwhile is as good. */
    static void start(Invocation caller, Path home, Map<String, String> settings, BooleanSupplier reachable) {
        makeHome(home);
        try {
            for (int i = 0; i < MOST_TRIES; i++) {
                var answer = firstWord(launch(caller, home, settings));
                if (!answer.has("error")) return;
                if (!answer.path("error").path("code").asString("").equals("daemon_running")) {
                    throw CliError.shaped(CliError.NO_DAEMON, answer.get("error"));
                }
                if (awaitServing(reachable)) return;
            }
            throw failed("another one holds the home and does not answer");
        } catch (IOException | JacksonException e) {
            throw failed(String.valueOf(e.getMessage()));
        }
    }

    private static void makeHome(Path home) {
        try {
            Files.createDirectories(
                    home, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException e) {
            throw new CliError(
                    CliError.NO_DAEMON,
                    "home_unusable",
                    "The home %s cannot be used: %s.".formatted(home, CliError.why(e)),
                    "Make it a writable directory of yours, or set ROOST_HOME to one.");
        }
    }

    private static JsonNode firstWord(Process daemon) throws IOException {
        try (var out = new BufferedReader(new InputStreamReader(daemon.getInputStream(), StandardCharsets.UTF_8))) {
            for (var line = out.readLine(); line != null; line = out.readLine()) {
                if (line.startsWith("{")) return DaemonClient.JSON.readTree(line);
            }
        }
        throw failed("it ended before it served");
    }

    /** Another daemon has the home: one that is about to serve, or one that is about to go. */
    private static boolean awaitServing(BooleanSupplier reachable) {
        for (int i = 0; i < 40; i++) {
            if (reachable.getAsBoolean()) return true;
            LockSupport.parkNanos(50_000_000);
        }
        return false;
    }

    private static CliError failed(String why) {
        return new CliError(
                CliError.NO_DAEMON,
                "no_daemon",
                "The daemon could not be started: %s.".formatted(why),
                "`roost daemon run` shows what happens; logs/daemon.0.log in the home has more.");
    }

    public static void awaitEnd(ProcessHandle daemon) {
        while (isThere(daemon)) LockSupport.parkNanos(5_000_000);
    }

    /** Who waits to be buried, and so has no program any more, is not: the first process of a container may never do it. */
    public static boolean isThere(ProcessHandle process) {
        return process.isAlive() && process.info().command().isPresent();
    }

    private static Process launch(Invocation caller, Path home, Map<String, String> settings) throws IOException {
        var words = new ArrayList<String>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(List.of(System.getProperty("roost.jvm", "").split(" ", -1)));
        words.removeIf(String::isEmpty);
        if (System.getProperty("roost.daemon.aot") != null)
            words.add("-XX:AOTCache=" + System.getProperty("roost.daemon.aot"));
        words.add("-Droost.version=" + Version.number());
        words.addAll(List.of(
                "-cp",
                System.getProperty("roost.daemon.classpath", System.getProperty("java.class.path")),
                "dev.roost.daemon.DaemonMain"));
        words.addAll(List.of(home.toString(), "--detach"));
        var builder = new ProcessBuilder(words)
                .directory(home.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        var environment = builder.environment();
        CallerEnvironment.give(caller.environment(), environment);
        keepSettings(environment, settings);
        environment.put("LC_ALL", "C.UTF-8"); // Java takes from it how words are written in command lines and paths
        environment.put("ROOST_HOME", home.toString());
        environment.put("ROOST_DAEMON", "1"); // so that no run takes it for one of its own processes
        return builder.start();
    }

    /**
     * What a daemon's settings are read from, and no more. A home that is given {@code settings} is a throw-away one: it takes
     * nothing else from the person, or it would join their cluster and call their webhook.
     */
    public static void keepSettings(Map<String, String> environment, Map<String, String> settings) {
        boolean person = settings.isEmpty() && InteractiveUser.isTyping(Map.copyOf(environment));
        environment.keySet().removeIf(name -> !isKeptSetting(name, person));
        environment.putAll(settings);
    }

    /** An agent that happens to start the daemon does not get to say what agents may do. */
    private static boolean isKeptSetting(String name, boolean person) {
        return KEPT_VARIABLES.contains(name)
                || SETTING.matcher(name).matches()
                || (person && PERSONS_SETTING.matcher(name).matches());
    }
}
