package dev.roost.ledger.record;

import dev.roost.model.Evidence;
import dev.roost.model.RunEvent;
import java.time.Instant;

/** All that is recorded of an end: what happened and when, why we think so, and what the attempt left. */
public record AttemptEnd(RunEvent how, Instant at, Evidence evidence, AttemptResult result, AttemptProgress progress) {}
