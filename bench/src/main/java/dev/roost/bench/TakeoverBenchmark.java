package dev.roost.bench;

import dev.roost.bench.report.Benchmark;
import dev.roost.bench.report.BenchmarkReport;
import dev.roost.bench.system.EmptyDatabases;
import dev.roost.bench.system.NodeProcess;
import dev.roost.cluster.db.ConnectionSource;
import dev.roost.ledger.db.SqlConnection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * The time from kill -9 of a worker until the ends of its runs are in the ledger. All processes share the clock of this
 * machine.
 */
final class TakeoverBenchmark implements Benchmark {

    private static final int KILLS = 20;

    /** Kills {@code workers} in each round, so that long graces do not add up. */
    private record Terms(int lease, int grace, int workers) {}

    @Override
    public void measure(Setting setting, BenchmarkReport report) throws Exception {
        for (var terms : List.of(new Terms(3, 7, 5), new Terms(10, 30, 5)))
            report.text(
                    "kill -9 to taken over, lease %d s, grace %d s".formatted(terms.lease, terms.grace),
                    measure(setting, terms, setting.quick() ? 5 : KILLS));
    }

    private static String measure(Setting setting, Terms terms, int kills) throws Exception {
        var address = EmptyDatabases.another(setting.requiredDatabase());
        var where = setting.scratch().resolve("grace-" + terms.grace);
        var workers = new ArrayList<NodeProcess>();
        try (var front = NodeProcess.inCluster(where, "front", address, 0, terms.lease, terms.grace)) {
            try {
                for (int i = 1; i <= terms.workers; i++)
                    workers.add(NodeProcess.inCluster(where, "w" + i, address, 1, terms.lease, terms.grace));
                var times = new ArrayList<Long>();
                while (times.size() < kills) {
                    times.addAll(round(ConnectionSource.at(address), front, workers, terms));
                    System.err.printf("%d of %d killed, grace %d s%n", times.size(), kills, terms.grace);
                }
                Collections.sort(times);
                return String.format(
                        Locale.ROOT,
                        "%d kills: least %.1f s, median %.1f s, most %.1f s",
                        times.size(),
                        times.getFirst() / 1e3,
                        times.get(times.size() / 2) / 1e3,
                        times.getLast() / 1e3);
            } finally {
                workers.forEach(NodeProcess::close);
            }
        }
    }

    /** Each worker has one run. They are killed at different times, so at any moment of their leases. */
    private static List<Long> round(ConnectionSource rows, NodeProcess front, List<NodeProcess> workers, Terms terms)
            throws Exception {
        try (var daemonConnection = front.connect()) {
            for (var _ : workers) daemonConnection.start("sleep", "1000");
        }
        until(rows, "SELECT count(*) = %d FROM attempt_live WHERE agent_pid IS NOT NULL".formatted(workers.size()));
        record Kill(String run, long at) {}
        var kills = new ArrayList<Kill>();
        for (var worker : workers) {
            var run = rows.with(handle -> handle.select("SELECT run_id FROM attempt_live WHERE node = ?", worker.name)
                    .one(SqlConnection::text));
            kills.add(new Kill(run, System.currentTimeMillis()));
            worker.kill9();
            LockSupport.parkNanos(terms.lease * 90_000_000L);
        }
        until(rows, "SELECT count(*) = 0 FROM attempt_live");
        var times = new ArrayList<Long>();
        for (var kill : kills) {
            times.add(rows.with(handle -> handle.select("""
                                    SELECT ended_at FROM attempt_ended WHERE run_id = ? AND cause = 'worker_lost'
                                    """, kill.run).one(SqlConnection::number)) - kill.at);
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var starts = new ArrayList<Future<Void>>();
            for (var worker : workers)
                starts.add(threads.submit(() -> {
                    worker.start();
                    return null;
                }));
            for (var start : starts) start.get();
        }
        return times;
    }

    private static void until(ConnectionSource rows, String condition) {
        long began = System.nanoTime();
        while (!rows.with(handle -> handle.select(condition).one(SqlConnection::truth))) {
            if (System.nanoTime() - began > 120e9) throw new IllegalStateException("timed out: " + condition);
            LockSupport.parkNanos(20_000_000);
        }
    }
}
