package dev.roost.model;

import dev.roost.base.TextFormat;
import java.util.Optional;

/**
 * An attempt's use of its model. {@code input} are the tokens read without cache, {@code cached} those from the provider's
 * cache; the cost is in millionths of a dollar, if known.
 */
public record Usage(long input, long cached, long output, Optional<Long> costMicros, int turns) {

    public static final Usage NONE = new Usage(0, 0, 0, Optional.empty(), 0);

    private static final long MAX = Long.MAX_VALUE / 4;

    /** Agents may report nonsense numbers: negative values become 0, and large values are capped so that sums do not overflow. */
    public Usage {
        input = Math.clamp(input, 0, MAX);
        cached = Math.clamp(cached, 0, MAX);
        output = Math.clamp(output, 0, MAX);
        costMicros = costMicros.map(cost -> Math.clamp(cost, 0, MAX));
        turns = Math.clamp(turns, 0, Integer.MAX_VALUE / 4);
    }

    /** The tokens that count against a budget. Cached tokens do not: they counted when they entered the cache. */
    public long tokens() {
        return input + output;
    }

    public Usage plus(Usage other) {
        var cost = costMicros.isEmpty() && other.costMicros.isEmpty()
                ? Optional.<Long>empty()
                : Optional.of(costMicros.orElse(0L) + other.costMicros.orElse(0L));
        return new Usage(input + other.input, cached + other.cached, output + other.output, cost, turns + other.turns);
    }

    /** This usage minus {@code earlier}, for programs that count from the beginning of a conversation. */
    public Usage since(Usage earlier) {
        return new Usage(
                Math.max(0, input - earlier.input),
                Math.max(0, cached - earlier.cached),
                Math.max(0, output - earlier.output),
                costMicros.map(cost -> Math.max(0, cost - earlier.costMicros.orElse(0L))),
                Math.max(0, turns - earlier.turns));
    }

    /** {@code 12k tokens, $0.34}; empty if no tokens were used. */
    public String inWords() {
        if (tokens() == 0) return "";
        return TextFormat.count(tokens()) + " tokens"
                + costMicros.map(cost -> ", " + TextFormat.dollars(cost)).orElse("");
    }

    public Usage withCost(long micros) {
        return new Usage(input, cached, output, Optional.of(micros), turns);
    }
}
