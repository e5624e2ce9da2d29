package dev.roost.bench.system;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A daemon process with a home and settings of its own, which can be measured, killed and restarted. */
public final class NodeProcess implements AutoCloseable {

    public final String name;
    public final Path home;
    private final Path settings;
    private Process process;

    NodeProcess(Path scratch, String name, String toml) throws IOException {
        this.name = name;
        this.home = scratch.resolve(name);
        this.settings = scratch.resolve(name + "-settings");
        Files.writeString(Files.createDirectories(settings.resolve("roost")).resolve("config.toml"), toml);
        this.process = launch();
    }

    /** A node of the cluster at {@code address} with slots for {@code runs}; 0 makes a front node. */
    public static NodeProcess inCluster(Path scratch, String name, String address, int runs, int lease, int grace)
            throws IOException {
        return new NodeProcess(scratch, name, """
                ledger = "%s"
                max_live = %d
                max_live_per_owner = 1000
                max_live_cluster = 1000
                [node]
                name = "%s"
                worker = %s
                lease = "%ds"
                grace = "%ds"
                directories = ["/"]
                """.formatted(address, Math.max(1, runs), name, runs > 0, lease, grace));
    }

    public static NodeProcess alone(Path scratch, String name) throws IOException {
        return new NodeProcess(scratch, name, "max_live = 1000\nmax_live_per_owner = 1000\n");
    }

    /** Uses the launcher's JVM options that affect a running daemon, but not its class cache, which only speeds up the start. */
    private Process launch() throws IOException {
        var words = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "-Djdk.virtualThreadScheduler.parallelism=8",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.roost.daemon.DaemonMain",
                home.toString());
        var builder = new ProcessBuilder(words)
                .redirectError(
                        ProcessBuilder.Redirect.appendTo(settings.resolve("err").toFile()));
        builder.environment().keySet().removeIf(key -> key.startsWith("ROOST_"));
        builder.environment().put("ROOST_DAEMON", "1");
        builder.environment().put("XDG_CONFIG_HOME", settings.toString());
        var started = builder.start();
        var ready = new BufferedReader(new InputStreamReader(started.getInputStream(), StandardCharsets.UTF_8));
        var line = ready.readLine();
        if (line == null || !line.startsWith("{\"pid\":"))
            throw new IOException(
                    "%s did not start: %s %s".formatted(name, line, Files.readString(settings.resolve("err"))));
        return started;
    }

    /** Kills the agents, which would outlive their daemons, even after an interrupted benchmark. */
    public static void endAllOf(Path scratch) {
        ProcessHandle.allProcesses()
                .filter(process -> isOf(process.pid(), scratch))
                .forEach(ProcessHandle::destroyForcibly);
    }

    public static boolean isPerchOf(long pid, Path home) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/cmdline"), StandardCharsets.ISO_8859_1)
                    .contains("\0" + home + "/runs/");
        } catch (IOException e) {
            return false; // ended, or owned by another user
        }
    }

    private static boolean isOf(long pid, Path scratch) {
        var directory = Path.of("/proc/" + pid);
        try {
            return Files.readString(directory.resolve("environ"), StandardCharsets.ISO_8859_1)
                            .contains("ROOST_HOME=" + scratch + "/")
                    || Files.readString(directory.resolve("cmdline"), StandardCharsets.ISO_8859_1)
                            .contains(scratch + "/");
        } catch (IOException e) {
            return false; // ended, or owned by another user
        }
    }

    public void kill9() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** An orderly stop: its agents continue. */
    public void stop() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(30, TimeUnit.SECONDS)) kill9();
    }

    public void start() throws IOException {
        process = launch();
    }

    public DaemonConnection connect() throws IOException {
        return new DaemonConnection(home);
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
