package dev.roost.ledger.record;

import dev.roost.model.Evidence;
import dev.roost.model.RunEvent;
import java.time.Instant;

/** The end of an attempt: the event and its time, the evidence, the result and the final progress. */
public record AttemptEnd(RunEvent how, Instant at, Evidence evidence, AttemptResult result, AttemptProgress progress) {}
