package dev.roost.house;

import dev.roost.ledger.Ledger;
import dev.roost.ledger.Run;
import dev.roost.run.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;

/** What {@link Stir} remembers, as far as the caller may see it. */
final class Stirring {

    private static final int MOST = 500;

    private final Ledger ledger;
    private final Clock clock;
    private final Stir stir;

    Stirring(Ledger ledger, Clock clock, Stir stir) {
        this.ledger = ledger;
        this.clock = clock;
        this.stir = stir;
    }

    Stirred since(Optional<String> after, Duration timeout, Caller caller) {
        if (after.isEmpty()) return again(stir.now());
        long began = clock.monotonicNanos();
        String position = after.get();
        try {
            while (true) {
                long left = timeout.toNanos() - (clock.monotonicNanos() - began);
                var since = stir.await(position, left);
                if (!since.whole() || since.runs().size() > MOST) return again(since);
                var seen = look(since, caller);
                if (seen.isNews() || left <= 0) return seen;
                position = since.position(); // of others only
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for changes", e);
        }
    }

    private static Stirred again(Stir.Since since) {
        return new Stirred(since.position(), new ArrayList<>(), new ArrayList<>(), true);
    }

    /** That a run was removed is for the operator to know; others, one of whom had it, just look at all of theirs again. */
    private Stirred look(Stir.Since since, Caller caller) {
        var runs = new ArrayList<Run>();
        var removed = new ArrayList<String>();
        for (var id : since.runs()) {
            var run = ledger.runs().find(id);
            if (run.isPresent() && caller.mayActFor(Optional.of(run.get().owner()))) runs.add(run.get());
            else if (run.isEmpty() && caller.operator()) removed.add(id.text());
            else if (run.isEmpty()) return again(since);
        }
        return new Stirred(since.position(), runs, removed, false);
    }
}
