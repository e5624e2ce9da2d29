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

/** An accepted run of a schedule, with the actions on it, from which its possible outcomes follow. */
final class ScheduledRun {

    record Verdict(Status status, Cause cause) {}

    static final Duration MAX_TIME = Duration.ofMinutes(30);

    final RunId id;
    final Owner owner;
    final ScheduleAgentKind scheduleAgentKind;
    final Path gate;
    final boolean capped;
    private final long submittedAt;
    private final Set<Verdict> causedByActions = new HashSet<>();
    private boolean opened;
    boolean readByOwner;

    /** The first observed end, which must not change. */
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
        causedByActions.add(new Verdict(Status.CANCELED_BY_USER, Cause.STOPPED));
    }

    void agentKilled() {
        causedByActions.add(new Verdict(Status.FAILED, Cause.SIGNAL));
    }

    void perchKilled() {
        causedByActions.add(new Verdict(Status.ABANDONED, Cause.PERCH_LOST));
    }

    /** The possible outcomes at {@code now} on the monotonic clock. */
    Set<Verdict> possible(long now) {
        var possible = new HashSet<>(causedByActions);
        if (capped && now - submittedAt >= MAX_TIME.toNanos()) {
            possible.add(new Verdict(Status.FAILED, Cause.BUDGET_TIME));
        }
        if (!scheduleAgentKind.gated() || opened)
            possible.add(new Verdict(scheduleAgentKind.status, scheduleAgentKind.cause));
        return possible;
    }

    /** Whether the agent itself caused this outcome and no action did: then its output is complete. */
    boolean endedByItself(Verdict verdict) {
        return verdict.equals(new Verdict(scheduleAgentKind.status, scheduleAgentKind.cause))
                && !causedByActions.contains(verdict);
    }

    @Override
    public String toString() {
        return "%s (%s of %s%s)".formatted(id, scheduleAgentKind, owner, capped ? ", capped" : "");
    }
}
