package dev.roost.chaos;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All runs as seen at one time.
 *
 * @param at seconds since chaos began
 * @param calmSince when the last fault was over and the daemon answered
 */
record RunObservation(double at, double calmSince, List<ObservedRun> runs) {

    /**
     * A row of the list.
     *
     * @param end status, cause and time of the end; empty while it is live
     * @param alive whether the process it names is alive
     * @param details empty if the run was found in order after its end
     */
    record ObservedRun(
            String runId, String status, int attempt, String end, boolean alive, Optional<RunDetails> details) {
        boolean ended() {
            return !end.isEmpty();
        }
    }

    /**
     * The details of one run.
     *
     * @param notices the attempt of each notice of an end
     * @param surfaces its status on each surface
     * @param harmed whether a fault hit it; then it may have any end but success
     * @param left its processes that are still alive
     * @param workKept whether its changes in the worktree are kept
     */
    record RunDetails(
            List<Integer> notices,
            Map<String, String> surfaces,
            AgentLog agentLog,
            boolean harmed,
            List<ExactProcess> left,
            boolean workKept) {}
}
