package dev.roost.model;

import dev.roost.base.TextFormat;
import java.util.Optional;

/**
 * What an attempt used of its model. {@code input} are the tokens read afresh, {@code cached} those that came from the
 * provider's cache; the cost is in millionths of a dollar, where somebody knows it.
 */
public record Usage(long input, long cached, long output, Optional<Long> costMicros, int turns) {

    public static final Usage NONE = new Usage(0, 0, 0, Optional.empty(), 0);

    private static final long MOST = Long.MAX_VALUE / 4;

    /** Numbers that programs say are not always numbers of something: none is negative, and no sum of them overflows. */
    public Usage {
        input = Math.clamp(input, 0, MOST);
        cached = Math.clamp(cached, 0, MOST);
        output = Math.clamp(output, 0, MOST);
        costMicros = costMicros.map(cost -> Math.clamp(cost, 0, MOST));
        turns = Math.clamp(turns, 0, Integer.MAX_VALUE / 4);
    }

    /** What a budget of tokens counts: a token that came from the cache was paid for when it went in. */
    public long tokens() {
        return input + output;
    }

    public Usage plus(Usage other) {
        var cost = costMicros.isEmpty() && other.costMicros.isEmpty()
                ? Optional.<Long>empty()
                : Optional.of(costMicros.orElse(0L) + other.costMicros.orElse(0L));
        return new Usage(input + other.input, cached + other.cached, output + other.output, cost, turns + other.turns);
    }

    /** What is more here than in {@code earlier}, for programs that count a conversation from its beginning. */
    public Usage since(Usage earlier) {
        return new Usage(
                Math.max(0, input - earlier.input),
                Math.max(0, cached - earlier.cached),
                Math.max(0, output - earlier.output),
                costMicros.map(cost -> Math.max(0, cost - earlier.costMicros.orElse(0L))),
                Math.max(0, turns - earlier.turns));
    }

    /** {@code 12k tokens, $0.34}; nothing if nothing was used. */
    public String inWords() {
        if (tokens() == 0) return "";
        return TextFormat.count(tokens()) + " tokens"
                + costMicros.map(cost -> ", " + TextFormat.dollars(cost)).orElse("");
    }

    public Usage withCost(long micros) {
        return new Usage(input, cached, output, Optional.of(micros), turns);
    }
}
