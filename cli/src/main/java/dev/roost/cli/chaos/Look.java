package dev.roost.cli.chaos;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What was seen of all runs at one time.
 *
 * @param at seconds since chaos began
 * @param calmSince when the last fault was over and the daemon answered
 */
record Look(double at, double calmSince, List<Seen> runs) {

    /**
     * A row, as the list has it.
     *
     * @param end status, cause and time of the end; empty while it lives
     * @param alive whether the process it names is there
     * @param closer absent where nothing can have changed since the last closer look
     */
    record Seen(String runId, String status, int attempt, String end, boolean alive, Optional<Closer> closer) {
        boolean ended() {
            return !end.isEmpty();
        }
    }

    /**
     * One run, looked at from all sides.
     *
     * @param notices the attempts that a notice of an end speaks of, one entry a notice
     * @param surfaces what each surface calls its status
     * @param harmed whether something was done to it on purpose: then it may have ended in many ways, though never well
     * @param left its processes that are still there
     * @param workKept whether what it wrote into its worktree can be found
     */
    record Closer(
            List<Integer> notices,
            Map<String, String> surfaces,
            Evidence evidence,
            boolean harmed,
            List<Proc> left,
            boolean workKept) {}
}
