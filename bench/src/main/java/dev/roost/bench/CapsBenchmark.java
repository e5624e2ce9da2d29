package dev.roost.bench;

import dev.roost.bench.report.Benchmark;
import dev.roost.bench.report.BenchmarkReport;
import dev.roost.bench.system.ProcesslessEngine;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.SqliteLedger;
import dev.roost.model.Caps;
import dev.roost.model.RunId;
import dev.roost.os.SystemClock;

/** The cost of finding a slot for the next run, in an empty ledger and in a full one. */
final class CapsBenchmark implements Benchmark {

    private static final int ROUNDS = 200;
    private static final int LIVE = 500;
    private static final int QUEUED = 500;
    private static final Caps CAPS = new Caps(10_000, 10_000, Caps.Overflow.QUEUE);
    private static final Caps FULL = new Caps(0, 0, Caps.Overflow.QUEUE);

    private final SystemClock clock = new SystemClock();

    @Override
    public void measure(Setting setting, BenchmarkReport report) throws Exception {
        try (var ledger = SqliteLedger.open(setting.scratch().resolve("caps.db"), clock)) {
            claims(ledger); // warm
            var alone = claims(ledger);
            for (int i = 0; i < LIVE; i++) {
                submit(ledger, "bench:" + i % 20);
                claim(ledger);
            }
            var crowded = claims(ledger);
            for (int i = 0; i < QUEUED; i++) submit(ledger, "bench:" + i % 20);
            var full = new double[ROUNDS];
            for (int i = 0; i < ROUNDS; i++)
                full[i] = Benchmark.millis(() -> {
                    if (ledger.claimNext(FULL).isPresent()) throw new IllegalStateException("the caps were not kept");
                });
            report.spread("a slot found and committed, nothing else live", alone);
            report.spread("a slot found and committed, %d live".formatted(LIVE), crowded);
            report.spread("no slot found, %d live and %d queued".formatted(LIVE, QUEUED), full);
        }
    }

    private double[] claims(Ledger ledger) throws Exception {
        var times = new double[ROUNDS];
        for (int i = 0; i < times.length; i++) {
            var id = submit(ledger, "bench:bench");
            times[i] = Benchmark.millis(() -> claim(ledger));
            ledger.finish(id, 1, ProcesslessEngine.end(clock));
        }
        return times;
    }

    private static void claim(Ledger ledger) {
        if (ledger.claimNext(CAPS).isEmpty()) throw new IllegalStateException("there was a slot");
    }

    private RunId submit(Ledger ledger, String owner) {
        return ledger.submit(ProcesslessEngine.newRun(clock, owner), CAPS).id();
    }
}
