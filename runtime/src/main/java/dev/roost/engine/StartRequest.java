package dev.roost.engine;

import dev.roost.agents.Task;
import dev.roost.model.Budget;
import dev.roost.model.Notify;
import dev.roost.model.Owner;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A caller's request to start a run. Where its budget has no cap, the agent's own cap holds. */
public record StartRequest(
        Owner owner,
        String agent,
        Task task,
        Optional<String> name,
        Optional<String> description,
        Path cwd,
        Map<String, String> environment,
        String umask,
        Budget budget,
        Optional<Boolean> resumeOnLoss,
        Origin origin,
        Terms terms) {

    public StartRequest(
            Owner owner,
            String agent,
            Task task,
            Optional<String> name,
            Optional<String> description,
            Path cwd,
            Map<String, String> environment,
            String umask,
            Budget budget,
            Optional<Boolean> resumeOnLoss,
            Origin origin) {
        this(owner, agent, task, name, description, cwd, environment, umask, budget, resumeOnLoss, origin, Terms.PLAIN);
    }

    /**
     * {@code notifyMode}: which notices the caller wants. {@code callKey} identifies the call, so that a repeated call starts no
     * second run. {@code launcher}: words before the agent's own command line (of a sandbox, say). {@code worktree}: whether the
     * run gets a git worktree of its own. {@code requiredTags}: tags that a node must have to run it. {@code maxLive}: refuses
     * the run if the owner would have more live runs, even if the caps say to queue.
     */
    public record Terms(
            Notify notifyMode,
            Optional<String> callKey,
            List<String> launcher,
            boolean worktree,
            List<String> requiredTags,
            Optional<Integer> maxLive) {

        public Terms(
                Notify notifyMode,
                Optional<String> callKey,
                List<String> launcher,
                boolean worktree,
                List<String> requiredTags) {
            this(notifyMode, callKey, launcher, worktree, requiredTags, Optional.empty());
        }

        public Terms(Notify notifyMode, Optional<String> callKey, List<String> launcher, boolean worktree) {
            this(notifyMode, callKey, launcher, worktree, List.of());
        }

        public static final Terms PLAIN = new Terms(Notify.DONE, Optional.empty(), List.of(), false);
    }

    /** The origin of the request, if known: the run whose {@code ROOST_RUN_ID} it carries, and the calling process. */
    public record Origin(Optional<String> runId, Optional<Long> pid) {
        public static final Origin UNKNOWN = new Origin(Optional.empty(), Optional.empty());
    }
}
