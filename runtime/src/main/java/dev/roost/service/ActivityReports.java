package dev.roost.service;

import dev.roost.engine.RuntimeContext;
import dev.roost.landing.Landing;
import dev.roost.landing.RemoteAnswers;
import dev.roost.ledger.SpendStore;
import dev.roost.ledger.record.PauseWindow;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.Caller;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
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
public final class ActivityReports {

    /** What was found out less long ago than this is not asked for again. */
    private static final Duration FRESH = Duration.ofSeconds(10);

    /** How long somebody who asks waits for remotes that do not answer. */
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final RuntimeContext context;

    ActivityReports(RuntimeContext context) {
        this.context = context;
    }

    /** What happened in the time {@code back}, as far as the caller may see it; where the code is, is found out anew. */
    public ActivityReport report(Duration back, Optional<Owner> owner, Caller caller) {
        var since = context.clock().now().minus(back);
        if (!caller.mayActFor(owner)) return new ActivityReport(since, List.of(), List.of());
        var scope = caller.scope(owner);
        var runs = new LinkedHashMap<RunId, RunRecord>();
        for (var pause : context.ledger().pauses().since(since, scope))
            for (var caught : pause.runs()) runs.put(caught.run().id(), caught.run());
        for (var run : context.ledger().runs().since(since, scope)) runs.put(run.id(), run);
        refreshLandings(runs);
        var pauses = pauses(since, scope); // read once more: they now say where the code is, too
        var now = runs.keySet().stream()
                .flatMap(id -> context.ledger().runs().find(id).stream())
                .sorted((one, two) -> two.id().text().compareTo(one.id().text()))
                .toList();
        return new ActivityReport(since, pauses, now);
    }

    /** Pauses in the time {@code back}, newest first, with what became of the runs that the caller may see. */
    public List<PauseWindow> pauses(Duration back, Optional<Owner> owner, Caller caller) {
        if (!caller.mayActFor(owner)) return List.of();
        return pauses(context.clock().now().minus(back), caller.scope(owner));
    }

    /** How many runs each owner has that the caller may see. */
    public List<SpendStore.OwnerCounts> owners(Caller caller) {
        return context.ledger().spend().owners(caller.scope());
    }

    /** What was spent in the days {@code back}, today included. */
    public List<SpendStore.DailySpend> spent(Duration back, Optional<Owner> owner, Caller caller) {
        if (!caller.mayActFor(owner)) return List.of();
        var since = LocalDate.ofInstant(context.clock().now().minus(back), ZoneOffset.UTC);
        return context.ledger().spend().spent(since, caller.scope(owner));
    }

    /** Those without a run of the asker's are not his. */
    private List<PauseWindow> pauses(Instant since, Optional<Owner> scope) {
        return context.ledger().pauses().since(since, scope).stream()
                .filter(pause -> scope.isEmpty() || !pause.runs().isEmpty())
                .toList();
    }

    private void refreshLandings(Map<RunId, RunRecord> runs) {
        var answers = new RemoteAnswers();
        long until = context.clock().monotonicNanos() + PATIENCE.toNanos();
        var few = Executors.newFixedThreadPool(4, Thread.ofVirtual().factory());
        for (var run : runs.values()) {
            if (run.work().isEmpty()) continue;
            few.execute(() -> {
                if (context.clock().monotonicNanos() < until) withFreshLanding(run, answers);
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

    RunRecord withFreshLanding(RunRecord run) {
        return withFreshLanding(run, new RemoteAnswers());
    }

    /** Without the network, and only where something may have changed since. */
    RunRecord withLocalLanding(RunRecord run) {
        if (run.status().ended() || isFresh(run)) return run;
        context.worktrees().refreshLanding(run, 0, Landing.LookupScope.LOCAL);
        return context.ledger().runs().find(run.id()).orElse(run);
    }

    private boolean isFresh(RunRecord run) {
        var at = run.work().flatMap(WorktreeRecord::landing).map(WorktreeRecord.LandingState::at);
        return at.filter(time -> time.plus(FRESH).isAfter(context.clock().now()))
                .isPresent();
    }

    private RunRecord withFreshLanding(RunRecord run, RemoteAnswers answers) {
        if (!isFresh(run) && run.work().isPresent())
            context.worktrees().refreshLanding(run, 0, Landing.LookupScope.REMOTE, answers);
        return context.ledger().runs().find(run.id()).orElse(run);
    }
}
