package dev.roost.daemon.web;

import dev.roost.ledger.SpendStore.DailySpend;
import dev.roost.ledger.record.PauseWindow;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Caller;
import dev.roost.model.Caps;
import dev.roost.model.Owner;
import dev.roost.model.OwnerSession;
import dev.roost.model.Phase;
import dev.roost.model.Status;
import dev.roost.service.RoostService;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The runs that the page shows, at one moment: live ones, and those that ended within a day. */
record FleetSnapshot(
        Instant now,
        List<RunRecord> live,
        List<RunRecord> ended,
        List<DailySpend> spending,
        List<PauseWindow> pauses,
        Map<Owner, OwnerSession> sessions,
        Caps caps) {

    static final int DAYS = 14;
    private static final Duration A_DAY = Duration.ofDays(1);

    static FleetSnapshot of(RoostService service, Caller caller, Instant now) {
        var live = service.list(RunQuery.of(RunQuery.StatusFilter.LIVE), caller);
        var ended = service.since(now.minus(A_DAY), caller).stream()
                .filter(run -> run.status().ended())
                .toList();
        return new FleetSnapshot(
                now,
                live,
                ended,
                service.activityReports().spent(Duration.ofDays(DAYS), Optional.empty(), caller),
                service.activityReports().pauses(A_DAY, Optional.empty(), caller),
                service.sessions().all().stream().collect(Collectors.toMap(OwnerSession::owner, session -> session)),
                service.caps());
    }

    static LocalDate day(Instant now) {
        return LocalDate.ofInstant(now, ZoneOffset.UTC);
    }

    static boolean needsInput(RunRecord run) {
        return run.latest().phase().equals(Optional.of(Phase.NEEDS_INPUT));
    }

    static boolean died(RunRecord run) {
        return run.status() == Status.FAILED || run.status() == Status.ABANDONED;
    }

    /** The owners of these runs, and those with an open session. */
    Set<Owner> owners() {
        var owners = new LinkedHashSet<Owner>();
        live.forEach(run -> owners.add(run.owner()));
        ended.forEach(run -> owners.add(run.owner()));
        sessions.values().stream()
                .filter(session -> session.state() == OwnerSession.SessionState.BUSY
                        || session.state() == OwnerSession.SessionState.IDLE)
                .forEach(session -> owners.add(session.owner()));
        return owners;
    }

    List<RunRecord> asking() {
        return live.stream().filter(FleetSnapshot::needsInput).toList();
    }

    List<RunRecord> running() {
        return live.stream()
                .filter(run -> run.status() == Status.RUNNING && !needsInput(run))
                .toList();
    }

    List<RunRecord> queued() {
        return live.stream().filter(run -> run.status() == Status.QUEUED).toList();
    }

    /** Failed and abandoned runs, newest end first. */
    List<RunRecord> dead() {
        return ended.stream()
                .filter(FleetSnapshot::died)
                .sorted(Comparator.comparing(
                                (RunRecord run) -> run.latest().endedAt().orElse(now))
                        .reversed())
                .toList();
    }

    long costToday() {
        return today().mapToLong(DailySpend::costMicros).sum();
    }

    long tokensToday() {
        return today().mapToLong(DailySpend::tokens).sum();
    }

    long costToday(Owner owner) {
        return today().filter(spend -> spend.owner().equals(owner))
                .mapToLong(DailySpend::costMicros)
                .sum();
    }

    private java.util.stream.Stream<DailySpend> today() {
        return spending.stream().filter(spend -> spend.day().equals(day(now)));
    }
}
