package dev.roost.service.testing;

import dev.roost.ledger.record.AttemptRecord;
import dev.roost.model.Cause;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** An accepted run of a schedule, with all that was done to it: so it is known how it may end, and how not. */
final class ScheduledRun {

    record Verdict(Status status, Cause cause) {}

    static final Duration MAX_TIME = Duration.ofMinutes(30);

    final RunId id;
    final Owner owner;
    final ScheduleAgentKind scheduleAgentKind;
    final Path gate;
    final boolean capped;
    private final long submittedAt;
    private final Set<Verdict> causedByUs = new HashSet<>();
    private boolean opened;
    boolean readByOwner;

    /** The end as it was first seen, which nothing may change. */
    Optional<EndSeen> end = Optional.empty();

    record EndSeen(AttemptRecord attempt, Optional<String> result) {}

    ScheduledRun(
            RunId id, Owner owner, ScheduleAgentKind scheduleAgentKind, Path gate, boolean capped, long submittedAt) {
        this.id = id;
        this.owner = owner;
        this.scheduleAgentKind = scheduleAgentKind;
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
        if (!scheduleAgentKind.gated() || opened)
            possible.add(new Verdict(scheduleAgentKind.status, scheduleAgentKind.cause));
        return possible;
    }

    /** Whether nothing that was done to it can have ended it so: then it said all it had to say. */
    boolean endedByItself(Verdict verdict) {
        return verdict.equals(new Verdict(scheduleAgentKind.status, scheduleAgentKind.cause))
                && !causedByUs.contains(verdict);
    }

    @Override
    public String toString() {
        return "%s (%s of %s%s)".formatted(id, scheduleAgentKind, owner, capped ? ", capped" : "");
    }
}
