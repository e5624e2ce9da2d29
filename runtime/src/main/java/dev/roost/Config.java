package dev.roost;

import dev.roost.run.Budget;
import dev.roost.run.Caps;

/** What the operator may set. {@code maxDepth} 1: what runs inside a run starts none of its own. */
public record Config(Caps caps, int maxDepth, long maxOutput) {

    public static final Config DEFAULT = new Config(Caps.DEFAULT, 1, Budget.DEFAULT_MAX_OUTPUT);
}
