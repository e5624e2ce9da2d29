package dev.roost.service;

import dev.roost.engine.RuntimeContext;
import dev.roost.landing.Landing;
import dev.roost.landing.RemoteRefs.RemoteAnswers;
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

/** Reports the activity of a period: pauses, runs, landings and spending. */
public final class ActivityReports {

    /** A landing younger than this is not computed again. */
    private static final Duration FRESH = Duration.ofSeconds(10);

    /** How long a report waits for remotes that do not answer. */
    private static final Duration REMOTE_TIMEOUT = Duration.ofSeconds(15);

    private final RuntimeContext context;

    ActivityReports(RuntimeContext context) {
        this.context = context;
    }

    /** The activity of the period {@code back} that the caller may see, with refreshed landings. */
    public ActivityReport report(Duration back, Optional<Owner> owner, Caller caller) {
        var since = context.clock().now().minus(back);
        if (!caller.mayActFor(owner)) return new ActivityReport(since, List.of(), List.of());
        var scope = caller.scope(owner);
        var runs = new LinkedHashMap<RunId, RunRecord>();
        for (var pause : context.ledger().pauses().since(since, scope))
            for (var paused : pause.runs()) runs.put(paused.run().id(), paused.run());
        for (var run : context.ledger().runs().since(since, scope)) runs.put(run.id(), run);
        refreshLandings(runs);
        var pauses = pauses(since, scope); // read again, now with the refreshed landings
        var now = runs.keySet().stream()
                .flatMap(id -> context.ledger().runs().find(id).stream())
                .sorted((a, b) -> b.id().text().compareTo(a.id().text()))
                .toList();
        return new ActivityReport(since, pauses, now);
    }

    /** The pauses of the period {@code back}, newest first, with the state of their runs that the caller may see. */
    public List<PauseWindow> pauses(Duration back, Optional<Owner> owner, Caller caller) {
        if (!caller.mayActFor(owner)) return List.of();
        return pauses(context.clock().now().minus(back), caller.scope(owner));
    }

    /** The number of runs of each owner, as far as the caller may see them. */
    public List<SpendStore.OwnerCounts> owners(Caller caller) {
        return context.ledger().spend().owners(caller.scope());
    }

    /** The spending of the days {@code back}, including today. */
    public List<SpendStore.DailySpend> spent(Duration back, Optional<Owner> owner, Caller caller) {
        if (!caller.mayActFor(owner)) return List.of();
        var since = LocalDate.ofInstant(context.clock().now().minus(back), ZoneOffset.UTC);
        return context.ledger().spend().spent(since, caller.scope(owner));
    }

    /** Omits pauses without a run of the owner in the scope. */
    private List<PauseWindow> pauses(Instant since, Optional<Owner> scope) {
        return context.ledger().pauses().since(since, scope).stream()
                .filter(pause -> scope.isEmpty() || !pause.runs().isEmpty())
                .toList();
    }

    private void refreshLandings(Map<RunId, RunRecord> runs) {
        var answers = new RemoteAnswers();
        long until = context.clock().monotonicNanos() + REMOTE_TIMEOUT.toNanos();
        var pool = Executors.newFixedThreadPool(4, Thread.ofVirtual().factory());
        for (var run : runs.values()) {
            if (run.work().isEmpty()) continue;
            pool.execute(() -> {
                if (context.clock().monotonicNanos() < until) withFreshLanding(run, answers);
            });
        }
        pool.shutdown();
        try {
            // after the timeout the report uses the last known landing; running lookups end by themselves
            var _ = pool.awaitTermination(REMOTE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    RunRecord withFreshLanding(RunRecord run) {
        return withFreshLanding(run, new RemoteAnswers());
    }

    /** Refreshes the landing of a live run without the network, if it is not fresh. */
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
