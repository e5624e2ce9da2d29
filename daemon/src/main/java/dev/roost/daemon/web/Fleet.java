package dev.roost.daemon.web;

import dev.roost.house.Caller;
import dev.roost.house.House;
import dev.roost.ledger.Pause;
import dev.roost.ledger.Query;
import dev.roost.ledger.Run;
import dev.roost.ledger.Tallies.Spent;
import dev.roost.run.Caps;
import dev.roost.run.Owner;
import dev.roost.run.Parent;
import dev.roost.run.Phase;
import dev.roost.run.Status;
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

/** All runs that matter now, as they are at one moment: the live ones, and what ended within a day. */
record Fleet(
        Instant now,
        List<Run> live,
        List<Run> ended,
        List<Spent> spending,
        List<Pause> pauses,
        Map<Owner, Parent> parents,
        Caps caps) {

    static final int DAYS = 14;
    private static final Duration A_DAY = Duration.ofDays(1);

    static Fleet of(House house, Caller caller, Instant now) {
        var live = house.list(Query.of(Query.Which.LIVE), caller);
        var ended = house.since(now.minus(A_DAY), caller).stream()
                .filter(run -> run.status().ended())
                .toList();
        return new Fleet(
                now,
                live,
                ended,
                house.reporting().spent(Duration.ofDays(DAYS), Optional.empty(), caller),
                house.reporting().pauses(A_DAY, Optional.empty(), caller),
                house.sessions().all().stream().collect(Collectors.toMap(Parent::owner, parent -> parent)),
                house.caps());
    }

    static LocalDate day(Instant now) {
        return LocalDate.ofInstant(now, ZoneOffset.UTC);
    }

    static boolean needsSomebody(Run run) {
        return run.latest().phase().equals(Optional.of(Phase.NEEDS_INPUT));
    }

    static boolean died(Run run) {
        return run.status() == Status.FAILED || run.status() == Status.ABANDONED;
    }

    /** Who has runs that matter now, or a session that is open. */
    Set<Owner> owners() {
        var owners = new LinkedHashSet<Owner>();
        live.forEach(run -> owners.add(run.owner()));
        ended.forEach(run -> owners.add(run.owner()));
        parents.values().stream()
                .filter(parent -> parent.state() == Parent.State.BUSY || parent.state() == Parent.State.IDLE)
                .forEach(parent -> owners.add(parent.owner()));
        return owners;
    }

    List<Run> asking() {
        return live.stream().filter(Fleet::needsSomebody).toList();
    }

    List<Run> running() {
        return live.stream()
                .filter(run -> run.status() == Status.RUNNING && !needsSomebody(run))
                .toList();
    }

    List<Run> queued() {
        return live.stream().filter(run -> run.status() == Status.QUEUED).toList();
    }

    /** Newest death first. */
    List<Run> dead() {
        return ended.stream()
                .filter(Fleet::died)
                .sorted(Comparator.comparing((Run run) -> run.latest().endedAt().orElse(now))
                        .reversed())
                .toList();
    }

    long costToday() {
        return today().mapToLong(Spent::costMicros).sum();
    }

    long tokensToday() {
        return today().mapToLong(Spent::tokens).sum();
    }

    long costToday(Owner owner) {
        return today().filter(spend -> spend.owner().equals(owner))
                .mapToLong(Spent::costMicros)
                .sum();
    }

    private java.util.stream.Stream<Spent> today() {
        return spending.stream().filter(spend -> spend.day().equals(day(now)));
    }
}
