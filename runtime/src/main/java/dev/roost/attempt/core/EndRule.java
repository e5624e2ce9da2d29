package dev.roost.attempt.core;

import dev.roost.agents.FinalReport;
import dev.roost.attempt.core.AttemptAction.EndKind;
import dev.roost.attempt.core.AttemptAction.Finish;
import dev.roost.attempt.core.Observation.AttemptRemains;
import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.model.Outcome;
import dev.roost.model.RunEvent;
import dev.roost.model.StopReason;
import java.util.Optional;

/** Decides what the end of an attempt is called, and whether there is another attempt. */
final class EndRule {

    private final AttemptRules rules;

    EndRule(AttemptRules rules) {
        this.rules = rules;
    }

    /** The agent never began, and another try would not help. */
    Finish notStarted(String reason) {
        return new Finish(
                new RunEvent.Exited(new Outcome.Failed(Cause.SPAWN_FAILED)),
                Optional.of("it could not be started: " + reason),
                EndKind.NOT_STARTED);
    }

    Finish stoppedBeforeStart(StopReason stop) {
        return new Finish(
                new RunEvent.Lost(Cause.PERCH_LOST, false),
                Optional.of("stopped by %s before it began".formatted(stop.requestedBy())),
                EndKind.NOT_STARTED);
    }

    /** The perch recorded the exit. */
    Finish exited(Exit exit, AttemptRemains remains) {
        if (remains.setupFailure().isPresent())
            return finish(
                    new RunEvent.Exited(new Outcome.Failed(Cause.SPAWN_FAILED)),
                    remains.setupFailure(),
                    EndKind.NOT_STARTED,
                    remains);
        var note = remains.finalReport().isPresent()
                        && remains.finalReport().get() instanceof FinalReport.Failure(var _, var reason)
                ? Optional.of(reason)
                : Optional.<String>empty();
        return finish(howExited(exit, remains), note, EndKind.EXITED, remains);
    }

    private RunEvent howExited(Exit exit, AttemptRemains remains) {
        if (remains.outOfMemory() && remains.finalReport().isEmpty()) return lost(Cause.OUT_OF_MEMORY, remains);
        var outcome = rules.driver().outcomeOf(exit, remains.finalReport(), remains.hasResult());
        if (outcome.cause() == Cause.RATE_LIMITED && remains.canContinue())
            return new RunEvent.Parked(RateLimitDelay.until(
                    remains.ledgerTime(),
                    remains.rateLimitReset(),
                    remains.history().rateLimits()));
        return new RunEvent.Exited(outcome);
    }

    /** The perch left no exit record; a final report before that still counts. */
    Finish vanished(Cause cause, AttemptRemains remains) {
        var how = remains.finalReport().isPresent() ? howExited(new Exit(0, false), remains) : lost(cause, remains);
        var note = cause == Cause.HOST_REBOOT
                ? "the boot id has changed, so the machine restarted while it ran"
                : remains.fenced()
                        .orElse("its perch is gone and left no exit record; its remaining processes were killed");
        return finish(how, Optional.of(note), EndKind.VANISHED, remains);
    }

    /** Its node is drained. It continues on another node unless it succeeded before it was stopped. */
    Finish moved(AttemptRemains remains) {
        if (remains.finalReport().isPresent() && remains.finalReport().get() instanceof FinalReport.Success)
            return exited(new Exit(0, false), remains); // the exit only shows the stop
        return finish(
                new RunEvent.Lost(Cause.WORKER_LOST, true),
                Optional.of("the operator drained its node %s; it continues on another node".formatted(rules.node())),
                EndKind.MOVED,
                remains);
    }

    private RunEvent.Lost lost(Cause cause, AttemptRemains remains) {
        boolean resume = rules.resumeOnLoss()
                && remains.canContinue()
                && remains.history().allowsLoss(rules.maxAttempts());
        return new RunEvent.Lost(cause, resume);
    }

    private static Finish finish(RunEvent how, Optional<String> note, EndKind kind, AttemptRemains remains) {
        if (remains.unkillable().isEmpty()) return new Finish(how, note, kind);
        var left = "could not be killed: " + String.join("; ", remains.unkillable());
        return new Finish(how, Optional.of(note.map(text -> text + "; " + left).orElse(left)), kind);
    }
}
