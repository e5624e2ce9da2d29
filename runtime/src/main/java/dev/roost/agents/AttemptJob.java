package dev.roost.agents;

import dev.roost.model.Budget;
import dev.roost.model.Usage;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The job of an attempt. {@code session} is the conversation to continue, if any; {@code before} is the usage of earlier
 * attempts; {@code promptFile} is the path of a prompt that is passed as a file; {@code inWorktree} is whether the attempt
 * has its own worktree, which may need setup first.
 */
public record AttemptJob(
        AgentProfile profile,
        Task task,
        Path cwd,
        Path promptFile,
        Budget budget,
        Optional<String> session,
        Usage before,
        boolean inWorktree) {

    public boolean continues() {
        return session.isPresent();
    }

    public String prompt() {
        return task.prompt().orElseGet(() -> String.join(" ", task.argv()));
    }

    /**
     * The prompt after the profile's system prompt, for agents whose own system prompt can only be replaced. A continued
     * conversation already contains it.
     */
    public String promptAfterSystemPrompt() {
        return profile.systemPrompt()
                .filter(_ -> !continues())
                .map(system -> system + "\n\n" + prompt())
                .orElseGet(this::prompt);
    }
}
