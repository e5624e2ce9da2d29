package dev.roost.bench;

import dev.roost.bench.Race.Callers;
import dev.roost.bench.Race.Way;
import dev.roost.supervisor.SystemClock;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.logging.Level;

/** Durable lives of runs without a process: submitted, claimed, begun, ended with a notice. Beside what the disk alone can do. */
final class Lifecycles implements Bench {

    private static final int CALLERS = 256;
    private static final int GROUP = 64; // as many as the ledger commits at once when that many call

    private static final String SAME_ROWS = "db-scheduler, and the same rows by its tasks";
    private static final String OURS = "Roost, embedded";
    private static final String APPENDS = "the disk alone: a line and fdatasync, one after the other";
    private static final int FEWER = 10; // they take long
    private static final String FLOOR = "SQLite alone, the same rows in groups";

    @Override
    public void measure(Setting setting, Report report) throws Exception {
        Quiet.LOGGERS.forEach(logger -> logger.setLevel(Level.WARNING));
        var scratch = Files.createDirectories(setting.scratch().resolve("lifecycles"));
        var clock = new SystemClock();
        int count = setting.quick() ? 1_500 : 6_000;
        try (var embedded = Engine.embedded(scratch, clock);
                var floor = new Floor(scratch.resolve("floor.db"), clock)) {
            var ours = new Callers(CALLERS, embedded::run);
            var ways = new ArrayList<Way>();
            ways.add(new Way(OURS, ours));
            ways.add(new Way(FLOOR, runs -> floor.live(runs, GROUP)));
            ways.add(new Way(APPENDS, runs -> Floor.append(scratch.resolve("floor"), runs / FEWER)));
            var race = Race.run(count, count, setting.rounds(7), ways);
            report.noted(
                    OURS,
                    "lives/s",
                    "p50 %.0f ms, p99 %.0f ms, %d callers"
                            .formatted(
                                    Report.quantile(ours.times(), 0.5), Report.quantile(ours.times(), 0.99), CALLERS),
                    race.rate(OURS));
            report.add(FLOOR, "lives/s", race.rate(FLOOR));
            report.add(
                    APPENDS,
                    "appends/s",
                    Arrays.stream(race.rate(APPENDS)).map(rate -> rate / FEWER).toArray());
            report.atLeast(0.4, "Roost embedded ÷ SQLite alone", "times", race.ratio(OURS, FLOOR));
        }
        if (setting.database().isPresent()) databases(setting, report, clock);
        else report.text("on PostgreSQL, and db-scheduler", "not measured: no PostgreSQL on this machine");
    }

    private void databases(Setting setting, Report report, SystemClock clock) throws Exception {
        var scratch = setting.scratch().resolve("lifecycles");
        var address = setting.database().orElseThrow();
        int count = setting.quick() ? 500 : 2_000;
        try (var embedded = Engine.embedded(Files.createDirectories(scratch.resolve("again")), clock);
                var cluster = Engine.cluster(Databases.another(address), scratch, clock, 1);
                var bare = new BareScheduler(Databases.another(address), () -> {});
                var withRows = BareScheduler.withRows(Databases.another(address))) {
            var onPostgres = new Callers(CALLERS, cluster::run);
            var race = Race.run(
                    count,
                    count,
                    setting.rounds(7),
                    java.util.List.of(
                            new Way(OURS, new Callers(CALLERS, embedded::run)),
                            new Way("Roost on PostgreSQL", onPostgres),
                            new Way("db-scheduler", new Callers(CALLERS, _ -> bare.run())),
                            new Way(SAME_ROWS, new Callers(CALLERS, _ -> withRows.run()))));
            report.noted(
                    "Roost on PostgreSQL",
                    "lives/s",
                    "p50 %.0f ms, p99 %.0f ms"
                            .formatted(
                                    Report.quantile(onPostgres.times(), 0.5),
                                    Report.quantile(onPostgres.times(), 0.99)),
                    race.rate("Roost on PostgreSQL"));
            report.add("db-scheduler on PostgreSQL, its own rows only", "lives/s", race.rate("db-scheduler"));
            report.add(SAME_ROWS, "lives/s", race.rate(SAME_ROWS));
            report.atLeast(10, "Roost embedded ÷ " + SAME_ROWS, "times", race.ratio(OURS, SAME_ROWS));
            report.add("Roost embedded ÷ db-scheduler, its own rows only", "times", race.ratio(OURS, "db-scheduler"));
            report.add("Roost on PostgreSQL ÷ " + SAME_ROWS, "times", race.ratio("Roost on PostgreSQL", SAME_ROWS));
        }
    }
}
