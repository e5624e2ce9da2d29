package dev.roost.service;

import dev.roost.ledger.record.RunRecord;
import java.util.List;

/** What was (or would be) removed: whole runs, or only their worktrees, and what all that took; and what was left, and why. */
public record PruneResult(
        List<RunRecord> runs, List<RunRecord> worktrees, List<KeptItem> left, List<RemoteRuns> elsewhere, long bytes) {

    public record KeptItem(RunRecord run, String why) {}

    /** Runs that would have gone, but another node has their files. */
    public record RemoteRuns(String node, int runs, boolean heard) {

        public String why() {
            var some = runs == 1 ? "1 run" : runs + " runs";
            return heard
                    ? "%s with files on %s: roost prune there removes them.".formatted(some, node)
                    : "%s with files on %s, which is not heard of: roost prune there removes them when it is back, or here after roost node forget %s."
                            .formatted(some, node, node);
        }
    }
}
