package dev.roost.bench.system;

import dev.roost.bench.report.Benchmark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A daemon with a home of its own, started by the launcher as a user would, and measured from outside. */
public final class LauncherDaemon implements AutoCloseable {

    private final String roost;
    private final Path scratch;
    public final Path home;
    private final Path settings;

    public LauncherDaemon(Benchmark.Setting setting, String name) throws Exception {
        this.roost = setting.roost();
        this.scratch = setting.scratch();
        this.home = setting.scratch().resolve(name);
        this.settings = setting.scratch().resolve(name + "-settings");
        Files.writeString(
                Files.createDirectories(settings.resolve("roost")).resolve("config.toml"),
                "max_live = 10000\nmax_live_per_owner = 10000\n[tools]\nagents = [\"command\"]\n");
    }

    public LauncherDaemon start() throws Exception {
        command("daemon", "start");
        return this;
    }

    public List<String> words(String... words) {
        var all = new ArrayList<>(List.of(roost));
        all.addAll(List.of(words));
        return all;
    }

    public ProcessBuilder process(List<String> words) {
        var builder = new ProcessBuilder(words);
        builder.environment().put("ROOST_HOME", home.toString());
        builder.environment().put("XDG_CONFIG_HOME", settings.toString());
        return builder;
    }

    public void command(String... words) throws Exception {
        BareProgram.run(process(words(words)));
    }

    public DaemonConnection connect() throws IOException {
        return new DaemonConnection(home);
    }

    public long pid() throws IOException {
        return status("pid");
    }

    public long live() throws IOException {
        return status("live");
    }

    private long status(String field) throws IOException {
        try (var connection = connect()) {
            return connection
                    .call("status", DaemonConnection.params())
                    .path(field)
                    .asLong();
        }
    }

    /** Starts idle runs and waits until all are running. */
    public void quiet(int runs) throws Exception {
        int before;
        try (var daemonConnection = connect()) {
            before = pids(daemonConnection); // by pids, because the live count still includes a run that has just ended
        }
        try (var threads = Executors.newFixedThreadPool(8)) {
            var starts = new ArrayList<Callable<String>>();
            for (int i = 0; i < runs; i++) {
                starts.add(() -> {
                    try (var own = connect()) {
                        return own.start("sleep", "3600");
                    }
                });
            }
            for (var started : threads.invokeAll(starts)) started.get();
        }
        awaitPids(before + runs);
    }

    /** Waits until so many of its runs are running. */
    public void awaitPids(int runs) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
        try (var daemonConnection = connect()) {
            int seen;
            while ((seen = pids(daemonConnection)) < runs) {
                if (System.nanoTime() > deadline)
                    throw new IOException("%,d of %,d runs are running after five minutes".formatted(seen, runs));
                LockSupport.parkNanos(20_000_000);
            }
        }
    }

    private static int pids(DaemonConnection daemonConnection) throws IOException {
        int found = 0;
        String cursor = "";
        do {
            var params = DaemonConnection.params().put("limit", 1000);
            if (!cursor.isEmpty()) params.put("cursor", cursor);
            var page = daemonConnection.call("list", params);
            for (var run : page.path("runs")) if (run.has("pid") && !run.has("ended_at")) found++;
            cursor = page.path("next_cursor").asString("");
        } while (!cursor.isEmpty());
        return found;
    }

    /** The CPU time that it has used, in seconds. */
    public static double cpuSeconds(long pid) throws IOException {
        var stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
    }

    @Override
    public void close() {
        NodeProcess.endAllOf(scratch);
    }
}
