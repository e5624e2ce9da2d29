package dev.roost.house;

import dev.roost.run.Cause;
import dev.roost.run.Owner;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** An accepted run of a schedule, with all that was done to it: so it is known how it may end, and how not. */
final class Subject {

    record Verdict(Status status, Cause cause) {}

    static final Duration MAX_TIME = Duration.ofMinutes(30);

    final RunId id;
    final Owner owner;
    final Kind kind;
    final Path gate;
    final boolean capped;
    private final long submittedAt;
    private final Set<Verdict> causedByUs = new HashSet<>();
    private boolean opened;
    boolean readByOwner;

    /** The end as it was first seen, which nothing may change. */
    Optional<EndSeen> end = Optional.empty();

    record EndSeen(dev.roost.ledger.Attempt attempt, Optional<String> result) {}

    Subject(RunId id, Owner owner, Kind kind, Path gate, boolean capped, long submittedAt) {
        this.id = id;
        this.owner = owner;
        this.kind = kind;
        this.gate = gate;
        this.capped = capped;
        this.submittedAt = submittedAt;
    }

    void opened() {
        opened = true;
    }

    void stopAsked() {
        causedByUs.add(new Verdict(Status.CANCELED_BY_USER, Cause.STOPPED));
    }

    void agentKilled() {
        causedByUs.add(new Verdict(Status.FAILED, Cause.SIGNAL));
    }

    void perchKilled() {
        causedByUs.add(new Verdict(Status.ABANDONED, Cause.PERCH_LOST));
    }

    /** How it may have ended by {@code now} on the monotonic clock. */
    Set<Verdict> possible(long now) {
        var possible = new HashSet<>(causedByUs);
        if (capped && now - submittedAt >= MAX_TIME.toNanos()) {
            possible.add(new Verdict(Status.FAILED, Cause.BUDGET_TIME));
        }
        if (!kind.gated() || opened) possible.add(new Verdict(kind.status, kind.cause));
        return possible;
    }

    /** Whether nothing that was done to it can have ended it so: then it said all it had to say. */
    boolean endedByItself(Verdict verdict) {
        return verdict.equals(new Verdict(kind.status, kind.cause)) && !causedByUs.contains(verdict);
    }

    @Override
    public String toString() {
        return "%s (%s of %s%s)".formatted(id, kind, owner, capped ? ", capped" : "");
    }
}
