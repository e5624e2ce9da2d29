package dev.roost.house;

import dev.roost.ledger.Pause;
import dev.roost.ledger.Run;
import dev.roost.ledger.Tallies;
import dev.roost.ledger.Work;
import dev.roost.run.Owner;
import dev.roost.run.RunId;
import dev.roost.worktrees.Answers;
import dev.roost.worktrees.Landing;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Puts together what happened while somebody was away. */
public final class Reporting {

    /** What was found out less long ago than this is not asked for again. */
    private static final Duration FRESH = Duration.ofSeconds(10);

    /** How long somebody who asks waits for remotes that do not answer. */
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final Rooms rooms;

    Reporting(Rooms rooms) {
        this.rooms = rooms;
    }

    /** What happened in the time {@code back}, as far as the caller may see it; where the code is, is found out anew. */
    public AwayReport report(Duration back, Optional<Owner> owner, Caller caller) {
        var since = rooms.clock().now().minus(back);
        if (!caller.mayActFor(owner)) return new AwayReport(since, List.of(), List.of());
        var scope = caller.scope(owner);
        var runs = new LinkedHashMap<RunId, Run>();
        for (var pause : rooms.ledger().pauses().since(since, scope))
            for (var caught : pause.runs()) runs.put(caught.run().id(), caught.run());
        for (var run : rooms.ledger().runs().since(since, scope)) runs.put(run.id(), run);
        lookAgain(runs);
        var pauses = pauses(since, scope); // read once more: they now say where the code is, too
        var now = runs.keySet().stream()
                .flatMap(id -> rooms.ledger().runs().find(id).stream())
                .sorted((one, two) -> two.id().text().compareTo(one.id().text()))
                .toList();
        return new AwayReport(since, pauses, now);
    }

    /** Pauses in the time {@code back}, newest first, with what became of the runs that the caller may see. */
    public List<Pause> pauses(Duration back, Optional<Owner> owner, Caller caller) {
        if (!caller.mayActFor(owner)) return List.of();
        return pauses(rooms.clock().now().minus(back), caller.scope(owner));
    }

    /** How many runs each owner has that the caller may see. */
    public List<Tallies.OfOwner> owners(Caller caller) {
        return rooms.ledger().tallies().owners(caller.scope());
    }

    /** What was spent in the days {@code back}, today included. */
    public List<Tallies.Spent> spent(Duration back, Optional<Owner> owner, Caller caller) {
        if (!caller.mayActFor(owner)) return List.of();
        var since = LocalDate.ofInstant(rooms.clock().now().minus(back), ZoneOffset.UTC);
        return rooms.ledger().tallies().spent(since, caller.scope(owner));
    }

    /** Those without a run of the asker's are not his. */
    private List<Pause> pauses(Instant since, Optional<Owner> scope) {
        return rooms.ledger().pauses().since(since, scope).stream()
                .filter(pause -> scope.isEmpty() || !pause.runs().isEmpty())
                .toList();
    }

    private void lookAgain(Map<RunId, Run> runs) {
        var answers = new Answers();
        long until = rooms.clock().monotonicNanos() + PATIENCE.toNanos();
        var few = Executors.newFixedThreadPool(4, Thread.ofVirtual().factory());
        for (var run : runs.values()) {
            if (run.work().isEmpty()) continue;
            few.execute(() -> {
                if (rooms.clock().monotonicNanos() < until) looked(run, answers);
            });
        }
        few.shutdown();
        try {
            // what was not found out by then is told as it was last known; who is still asking comes to an end by
            // himself
            var _ = few.awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    Run looked(Run run) {
        return looked(run, new Answers());
    }

    /** Without the network, and only where something may have changed since. */
    Run lookedHere(Run run) {
        if (run.status().ended() || isFresh(run)) return run;
        rooms.keeping().look(run, 0, Landing.Reach.LOCAL);
        return rooms.ledger().runs().find(run.id()).orElse(run);
    }

    private boolean isFresh(Run run) {
        var at = run.work().flatMap(Work::landing).map(Work.Landed::at);
        return at.filter(time -> time.plus(FRESH).isAfter(rooms.clock().now())).isPresent();
    }

    private Run looked(Run run, Answers answers) {
        if (!isFresh(run) && run.work().isPresent()) rooms.keeping().look(run, 0, Landing.Reach.REMOTE, answers);
        return rooms.ledger().runs().find(run.id()).orElse(run);
    }
}
