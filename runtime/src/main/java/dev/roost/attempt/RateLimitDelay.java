package dev.roost.attempt;

import dev.roost.agents.AgentOutput;
import dev.roost.agents.AgentState;
import dev.roost.engine.RuntimeContext;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Cause;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Decides how long a run waits after the model's provider has limited its rate. */
final class RateLimitDelay {

    private static final Duration FIRST = Duration.ofMinutes(1);
    private static final Duration LONGEST = Duration.ofMinutes(30);

    /** Ignores a reset time beyond this: no provider's limit lasts longer, so the number is wrong. */
    private static final Duration FARTHEST = Duration.ofDays(60);

    private RateLimitDelay() {}

    /** The provider's reset time, else an exponential delay. Uses the ledger's clock, which also decides when it is over. */
    static Instant until(RuntimeContext context, RunRecord run, AgentState state) {
        var now = context.ledger().time();
        return state.limit()
                .flatMap(AgentOutput.RateLimit::until)
                .filter(now::isBefore)
                .filter(now.plus(FARTHEST)::isAfter)
                .orElseGet(() -> now.plus(pause(context, run)));
    }

    private static Duration pause(RuntimeContext context, RunRecord run) {
        long before = context.ledger().runs().attempts(run.id()).stream()
                .filter(attempt -> attempt.turn() == run.latest().turn())
                .filter(attempt -> attempt.cause().equals(Optional.of(Cause.RATE_LIMITED)))
                .count();
        var longer = FIRST.multipliedBy(1L << Math.min(before, 10));
        return longer.compareTo(LONGEST) < 0 ? longer : LONGEST;
    }
}
