package dev.roost.service;

import dev.roost.ledger.record.PauseWindow;
import dev.roost.ledger.record.RunRecord;
import java.time.Instant;
import java.util.List;

/** Activity since a time: the pauses, newest first, and all runs that were in a pause, are live or have ended since then. */
public record ActivityReport(Instant since, List<PauseWindow> pauses, List<RunRecord> runs) {}
