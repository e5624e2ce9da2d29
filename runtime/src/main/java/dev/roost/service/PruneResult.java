package dev.roost.service;

import dev.roost.ledger.record.RunRecord;
import java.util.List;

/** The runs and worktrees that were (or would be) removed, their size, and the runs that were kept, with the reasons. */
public record PruneResult(
        List<RunRecord> runs, List<RunRecord> worktrees, List<KeptItem> left, List<RemoteRuns> elsewhere, long bytes) {

    public record KeptItem(RunRecord run, String why) {}

    /** Runs that were not removed because another node has their files; {@code heard}: whether that node answers. */
    public record RemoteRuns(String node, int runs, boolean heard) {

        public String why() {
            var count = runs == 1 ? "1 run" : runs + " runs";
            return heard
                    ? "%s with files on %s: roost prune there removes them.".formatted(count, node)
                    : "%s with files on %s, which does not answer: roost prune there removes them when it is back, or here after roost node forget %s."
                            .formatted(count, node, node);
        }
    }
}
