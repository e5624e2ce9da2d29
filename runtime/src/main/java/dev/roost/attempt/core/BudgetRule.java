package dev.roost.attempt.core;

import dev.roost.attempt.core.Observation.AgentView;
import dev.roost.model.Cause;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/** Decides whether an attempt and the earlier attempts of its turn exceed one of their caps. */
final class BudgetRule {

    private final AttemptRules rules;
    private final QuietMonitor quiet;

    BudgetRule(AttemptRules rules, QuietMonitor quiet) {
        this.rules = rules;
        this.quiet = quiet;
    }

    Optional<Cause> exceeded(long now, AgentView agent) {
        var earlier = rules.earlier();
        if (earlier.outputBytes() + agent.outputBytes() > rules.budget().maxOutput())
            return Optional.of(Cause.BUDGET_OUTPUT);
        if (timeLeft(agent).filter(left -> !left.isPositive()).isPresent()) return Optional.of(Cause.BUDGET_TIME);
        boolean tooQuiet = rules.maxQuiet()
                .filter(most -> quiet.isQuiet(now) && quiet.length(now).compareTo(most) >= 0)
                .isPresent();
        if (tooQuiet) return Optional.of(Cause.BUDGET_QUIET);
        return rules.budget().exceededBy(earlier.usage().plus(agent.usage())).or(agent::dailyBudget);
    }

    /** The time until the time cap; empty if there is none. */
    private Optional<Duration> timeLeft(AgentView agent) {
        return rules.budget()
                .maxTime()
                .map(most -> most.minus(rules.earlier().active()).minus(agent.active()));
    }

    /** When the next time-based cap is reached. */
    OptionalLong due(long now, AgentView agent) {
        return LongStream.concat(
                        timeLeft(agent).stream().mapToLong(left -> now + left.toNanos()),
                        rules.maxQuiet().stream()
                                .filter(_ -> quiet.isQuiet(now))
                                .mapToLong(quiet::quietFor))
                .min();
    }
}
