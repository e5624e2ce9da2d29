package dev.roost;

import dev.roost.ledger.Run;
import java.util.List;

/** The runs that were (or would be) removed, and what their files took. */
public record Pruned(List<Run> runs, long bytes) {}
