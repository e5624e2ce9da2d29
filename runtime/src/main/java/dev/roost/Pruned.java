package dev.roost;

import dev.roost.ledger.Run;
import java.util.List;

/** What was (or would be) removed: whole runs, or only their worktrees, and what all that took; and what was left, and why. */
public record Pruned(List<Run> runs, List<Run> worktrees, List<Left> left, long bytes) {

    public record Left(Run run, String why) {}
}
