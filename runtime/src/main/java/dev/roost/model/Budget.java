package dev.roost.model;

import java.time.Duration;
import java.util.Optional;

/** The limits of a run over all attempts of a turn, enforced while it runs. */
public record Budget(
        Optional<Duration> maxTime,
        Optional<Long> maxTokens,
        Optional<Long> maxCostMicros,
        Optional<Integer> maxTurns,
        long maxOutput) {

    public static final long DEFAULT_MAX_OUTPUT = 1L << 30;

    /** A budget that caps only the output. */
    public static Budget ofOutput(long maxOutput) {
        return new Budget(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), maxOutput);
    }

    /** This budget, with missing caps from {@code other}; the smaller cap on the output. */
    public Budget orElse(Budget other) {
        return new Budget(
                maxTime.or(other::maxTime),
                maxTokens.or(other::maxTokens),
                maxCostMicros.or(other::maxCostMicros),
                maxTurns.or(other::maxTurns),
                Math.min(maxOutput, other.maxOutput));
    }

    /** The smaller of the two caps in every dimension. */
    public Budget atMost(Budget other) {
        return new Budget(
                lesser(maxTime, other.maxTime),
                lesser(maxTokens, other.maxTokens),
                lesser(maxCostMicros, other.maxCostMicros),
                lesser(maxTurns, other.maxTurns),
                Math.min(maxOutput, other.maxOutput));
    }

    private static <T extends Comparable<T>> Optional<T> lesser(Optional<T> one, Optional<T> other) {
        return other.filter(cap -> one.isEmpty() || cap.compareTo(one.get()) < 0)
                .or(() -> one);
    }

    public Budget withMaxTime(Optional<Duration> time) {
        return new Budget(time, maxTokens, maxCostMicros, maxTurns, maxOutput);
    }

    /** The cap on tokens, cost or turns that {@code used} exceeds, if any. */
    public Optional<Cause> exceededBy(Usage used) {
        if (maxTokens.filter(cap -> used.tokens() > cap).isPresent()) return Optional.of(Cause.BUDGET_TOKENS);
        if (maxCostMicros.filter(cap -> used.costMicros().orElse(0L) > cap).isPresent())
            return Optional.of(Cause.BUDGET_COST);
        if (maxTurns.filter(cap -> used.turns() > cap).isPresent()) return Optional.of(Cause.BUDGET_TURNS);
        return Optional.empty();
    }
}
