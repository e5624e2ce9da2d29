package dev.roost.ledger;

import dev.roost.run.Evidence;
import dev.roost.run.RunEvent;
import java.time.Instant;

/** All that is recorded of an end: what happened and when, why we think so, and what the attempt left. */
public record End(RunEvent how, Instant at, Evidence evidence, Result result, Progress progress) {}
