package dev.roost.engine;

import dev.roost.agents.Task;
import dev.roost.model.Budget;
import dev.roost.model.Notify;
import dev.roost.model.Owner;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a caller asks for when it starts a run; where its budget has no cap, the agent's own cap holds. */
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
     * What the caller wants to be told; the call by which this is asked, so that asking again starts nothing anew; the
     * words before the agent's own command line (of a sandbox, say); whether it gets a git worktree of its own; the tags
     * of the machines that may do it; and how many live runs the owner may have by it, whatever else may be queued.
     */
    public record Terms(
            Notify notifyMode,
            Optional<String> callKey,
            List<String> launcher,
            boolean worktree,
            List<String> requiredTags,
            Optional<Integer> maxLive) {

        public Terms(Notify tell, Optional<String> callKey, List<String> launcher, boolean worktree, List<String> on) {
            this(tell, callKey, launcher, worktree, on, Optional.empty());
        }

        public Terms(Notify tell, Optional<String> callKey, List<String> launcher, boolean worktree) {
            this(tell, callKey, launcher, worktree, List.of());
        }

        public static final Terms PLAIN = new Terms(Notify.DONE, Optional.empty(), List.of(), false);
    }

    /** Where the request comes from, as far as it says: the run whose cookie it carries, and the process that asks. */
    public record Origin(Optional<String> runId, Optional<Long> pid) {
        public static final Origin UNKNOWN = new Origin(Optional.empty(), Optional.empty());
    }
}
