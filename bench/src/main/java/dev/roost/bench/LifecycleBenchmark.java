package dev.roost.bench;

import dev.roost.bench.report.Benchmark;
import dev.roost.bench.report.BenchmarkReport;
import dev.roost.bench.report.RateComparison;
import dev.roost.bench.report.RateComparison.Callers;
import dev.roost.bench.report.RateComparison.Way;
import dev.roost.bench.system.DbSchedulerBaseline;
import dev.roost.bench.system.EmptyDatabases;
import dev.roost.bench.system.ProcesslessEngine;
import dev.roost.bench.system.SqliteBaseline;
import dev.roost.os.SystemClock;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;

/** Full lifecycles of runs without a process, submitted, claimed, started and ended with a notice; compared with the bare disk. */
final class LifecycleBenchmark implements Benchmark {

    private static final int CALLERS = 256;
    private static final int GROUP = 64; // the ledger's batch size under this load

    private static final String SAME_ROWS = "db-scheduler, and the same rows by its tasks";
    private static final String OURS = "Roost, embedded";
    private static final String APPENDS = "the disk alone: a line and fdatasync, one after the other";
    private static final int FEWER = 10; // each takes long
    private static final String FLOOR = "SQLite alone, the same rows in groups";

    @Override
    public void measure(Setting setting, BenchmarkReport benchmarkReport) throws Exception {
        var scratch = Files.createDirectories(setting.scratch().resolve("lifecycles"));
        var clock = new SystemClock();
        int count = setting.quick() ? 1_500 : 6_000;
        try (var embedded = ProcesslessEngine.embedded(scratch, clock);
                var sqliteBaseline = new SqliteBaseline(scratch.resolve("floor.db"), clock)) {
            var ours = new Callers(CALLERS, embedded::run);
            var ways = new ArrayList<Way>();
            ways.add(new Way(OURS, ours));
            ways.add(new Way(FLOOR, runs -> sqliteBaseline.live(runs, GROUP)));
            ways.add(new Way(APPENDS, runs -> SqliteBaseline.append(scratch.resolve("floor"), runs / FEWER)));
            var rateComparison = RateComparison.run(count, count, setting.rounds(7), ways);
            benchmarkReport.noted(
                    OURS, "lives/s", "%s, %d callers".formatted(ours.quantiles(), CALLERS), rateComparison.rate(OURS));
            benchmarkReport.add(FLOOR, "lives/s", rateComparison.rate(FLOOR));
            benchmarkReport.add(
                    APPENDS,
                    "appends/s",
                    Arrays.stream(rateComparison.rate(APPENDS))
                            .map(rate -> rate / FEWER)
                            .toArray());
            benchmarkReport.atLeast(0.4, "Roost embedded ÷ SQLite alone", "times", rateComparison.ratio(OURS, FLOOR));
        }
        if (setting.database().isPresent()) databases(setting, benchmarkReport, clock);
        else benchmarkReport.text("on PostgreSQL, and db-scheduler", "not measured: no PostgreSQL on this machine");
    }

    private void databases(Setting setting, BenchmarkReport benchmarkReport, SystemClock clock) throws Exception {
        var scratch = setting.scratch().resolve("lifecycles");
        var address = setting.database().orElseThrow();
        int count = setting.quick() ? 500 : 2_000;
        try (var embedded = ProcesslessEngine.embedded(Files.createDirectories(scratch.resolve("again")), clock);
                var cluster = ProcesslessEngine.cluster(EmptyDatabases.another(address), scratch, clock, 1);
                var bare = new DbSchedulerBaseline(EmptyDatabases.another(address), () -> {});
                var withRows = DbSchedulerBaseline.withRows(EmptyDatabases.another(address))) {
            var onPostgres = new Callers(CALLERS, cluster::run);
            var rateComparison = RateComparison.run(
                    count,
                    count,
                    setting.rounds(7),
                    java.util.List.of(
                            new Way(OURS, new Callers(CALLERS, embedded::run)),
                            new Way("Roost on PostgreSQL", onPostgres),
                            new Way("db-scheduler", new Callers(CALLERS, _ -> bare.run())),
                            new Way(SAME_ROWS, new Callers(CALLERS, _ -> withRows.run()))));
            benchmarkReport.noted(
                    "Roost on PostgreSQL",
                    "lives/s",
                    onPostgres.quantiles(),
                    rateComparison.rate("Roost on PostgreSQL"));
            benchmarkReport.add(
                    "db-scheduler on PostgreSQL, its own rows only", "lives/s", rateComparison.rate("db-scheduler"));
            benchmarkReport.add(SAME_ROWS, "lives/s", rateComparison.rate(SAME_ROWS));
            benchmarkReport.atLeast(
                    10, "Roost embedded ÷ " + SAME_ROWS, "times", rateComparison.ratio(OURS, SAME_ROWS));
            benchmarkReport.add(
                    "Roost embedded ÷ db-scheduler, its own rows only",
                    "times",
                    rateComparison.ratio(OURS, "db-scheduler"));
            benchmarkReport.add(
                    "Roost on PostgreSQL ÷ " + SAME_ROWS,
                    "times",
                    rateComparison.ratio("Roost on PostgreSQL", SAME_ROWS));
        }
    }
}
