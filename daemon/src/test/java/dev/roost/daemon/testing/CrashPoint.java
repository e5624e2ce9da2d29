package dev.roost.daemon.testing;

import dev.roost.base.FaultPoints.Step;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A moment just before or just after a durable step of a run's life. */
public record CrashPoint(boolean after, Step step) {

    public static List<CrashPoint> all() {
        return Arrays.stream(Step.values())
                .flatMap(step -> Stream.of(new CrashPoint(false, step), new CrashPoint(true, step)))
                .toList();
    }

    /** The first step that is made, or made again, by the daemon that comes after a death here. */
    Optional<Step> next() {
        return switch (step) {
            case SPEC -> Optional.of(Step.SPEC); // without an answer the client repeats the request
            case SUBMIT -> Optional.of(after ? Step.CLAIM : Step.SPEC);
            case CLAIM -> Optional.of(after ? Step.WORKTREE : Step.CLAIM);
            case WORKTREE -> Optional.of(Step.WORKTREE); // found as it was, or made
            case SPAWN -> Optional.of(after ? Step.START : Step.WORKTREE);
            case START -> Optional.of(after ? Step.EXIT : Step.START);
            case EXIT -> Optional.of(Step.EXIT); // the record is still there
            case FINISH -> Optional.of(after ? Step.OFFER : Step.EXIT);
            case OFFER -> Optional.of(after ? Step.ACKNOWLEDGE : Step.OFFER);
            case ACKNOWLEDGE -> Optional.of(after ? Step.PRUNE : Step.ACKNOWLEDGE);
            case PRUNE -> after ? Optional.empty() : Optional.of(Step.PRUNE);
        };
    }

    /** Every two deaths of which the second can follow the first. */
    public static List<List<CrashPoint>> pairs() {
        return all().stream()
                .flatMap(first -> all().stream().filter(first::canBeFollowedBy).map(second -> List.of(first, second)))
                .toList();
    }

    private boolean canBeFollowedBy(CrashPoint second) {
        return next().filter(step -> step.compareTo(second.step) <= 0).isPresent();
    }

    /** Whether the ledger had the run when the daemon died. */
    boolean isAccepted() {
        return step.compareTo(Step.SUBMIT) > 0 || (step == Step.SUBMIT && after);
    }

    @Override
    public String toString() {
        return (after ? "after " : "before ") + step.word();
    }
}
