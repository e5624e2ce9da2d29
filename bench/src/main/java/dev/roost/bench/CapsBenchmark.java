package dev.roost.bench;

import dev.roost.ledger.Ledger;
import dev.roost.ledger.SqliteLedger;
import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.NewRun;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.model.Budget;
import dev.roost.model.Caps;
import dev.roost.model.Evidence;
import dev.roost.model.Outcome;
import dev.roost.model.Owner;
import dev.roost.model.RunEvent;
import dev.roost.model.RunId;
import dev.roost.os.SystemClock;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The cost of finding a slot for the next run, in an empty ledger and in a full one. */
final class CapsBenchmark {

    private static final int ROUNDS = 200;
    private static final int LIVE = 500;
    private static final int QUEUED = 500;
    private static final Caps CAPS = new Caps(10_000, 10_000, Caps.Overflow.QUEUE);
    private static final Caps FULL = new Caps(0, 0, Caps.Overflow.QUEUE);

    private static final Logger FLYWAY = Logger.getLogger("org.flywaydb");

    private CapsBenchmark() {}

    static Map<String, String> measure(Path file) {
        var figures = new LinkedHashMap<String, String>();
        var clock = new SystemClock();
        FLYWAY.setLevel(Level.WARNING);
        try (var ledger = SqliteLedger.open(file, clock)) {
            claims(ledger, clock, new double[ROUNDS]); // warm
            var alone = new double[ROUNDS];
            claims(ledger, clock, alone);
            for (int i = 0; i < LIVE; i++) {
                submit(ledger, clock, "bench:" + i % 20);
                claim(ledger);
            }
            var crowded = new double[ROUNDS];
            claims(ledger, clock, crowded);
            for (int i = 0; i < QUEUED; i++) submit(ledger, clock, "bench:" + i % 20);
            var full = new double[ROUNDS];
            for (int i = 0; i < ROUNDS; i++) {
                long before = System.nanoTime();
                if (ledger.claimNext(FULL).isPresent()) throw new IllegalStateException("the caps were not kept");
                full[i] = (System.nanoTime() - before) / 1e6;
            }
            figures.put("a slot found and committed, nothing else live", BenchMain.spread(alone));
            figures.put("a slot found and committed, %d live".formatted(LIVE), BenchMain.spread(crowded));
            figures.put("no slot found, %d live and %d queued".formatted(LIVE, QUEUED), BenchMain.spread(full));
        }
        return figures;
    }

    private static void claims(Ledger ledger, SystemClock clock, double[] times) {
        for (int i = 0; i < times.length; i++) {
            var id = submit(ledger, clock, "bench:bench");
            long before = System.nanoTime();
            claim(ledger);
            times[i] = (System.nanoTime() - before) / 1e6;
            ledger.finish(
                    id,
                    1,
                    new AttemptEnd(
                            new RunEvent.Exited(new Outcome.CompletedEmpty()),
                            clock.now(),
                            Evidence.none(),
                            AttemptResult.none(),
                            AttemptProgress.of(StreamPosition.START)));
        }
    }

    private static void claim(Ledger ledger) {
        if (ledger.claimNext(CAPS).isEmpty()) throw new IllegalStateException("there was a slot");
    }

    private static RunId submit(Ledger ledger, SystemClock clock, String owner) {
        var id = RunId.create(clock.now());
        ledger.submit(
                new NewRun(
                        id,
                        Optional.empty(),
                        new Owner(owner),
                        "command",
                        "command",
                        "{}",
                        "bench",
                        Path.of("/"),
                        Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                        false,
                        1,
                        Optional.empty()),
                CAPS);
        return id;
    }
}
