package dev.roost.house;

import dev.roost.ledger.Pause;
import dev.roost.ledger.Run;
import java.time.Instant;
import java.util.List;

/** What happened since: the pauses, newest first, and every run that was caught in one, is live or has ended since then. */
public record AwayReport(Instant since, List<Pause> pauses, List<Run> runs) {}
