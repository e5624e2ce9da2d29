package dev.roost.agents;

import dev.roost.model.Budget;
import dev.roost.model.Usage;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What an attempt is to do. {@code session} is the conversation to continue, if it is not the first; {@code before} what
 * earlier attempts used; {@code promptFile} where a prompt that goes in by a file will lie; {@code inWorktree} if it has a
 * worktree of its own, which may have to be set up first.
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
     * The prompt after the profile's system prompt, for agents that would take one only in place of their own. A
     * conversation that goes on has heard it.
     */
    public String promptAfterSystemPrompt() {
        return profile.systemPrompt()
                .filter(_ -> !continues())
                .map(system -> system + "\n\n" + prompt())
                .orElseGet(this::prompt);
    }
}
