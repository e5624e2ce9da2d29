package dev.roost.service;

import dev.roost.ledger.record.PauseWindow;
import dev.roost.ledger.record.RunRecord;
import java.time.Instant;
import java.util.List;

/** What happened since: the pauses, newest first, and every run that was caught in one, is live or has ended since then. */
public record ActivityReport(Instant since, List<PauseWindow> pauses, List<RunRecord> runs) {}
