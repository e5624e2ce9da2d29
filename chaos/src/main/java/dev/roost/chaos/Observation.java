package dev.roost.chaos;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What was seen of all runs at one time.
 *
 * @param at seconds since chaos began
 * @param calmSince when the last fault was over and the daemon answered
 */
record Observation(double at, double calmSince, List<ObservedRun> runs) {

    /**
     * A row, as the list has it.
     *
     * @param end status, cause and time of the end; empty while it lives
     * @param alive whether the process it names is there
     * @param details absent where nothing can have changed since the last closer look
     */
    record ObservedRun(
            String runId, String status, int attempt, String end, boolean alive, Optional<RunDetails> details) {
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
    record RunDetails(
            List<Integer> notices,
            Map<String, String> surfaces,
            AgentLog agentLog,
            boolean harmed,
            List<ExactProcess> left,
            boolean workKept) {}
}
