package dev.roost.transfer;

import dev.roost.git.Worktree;
import dev.roost.model.RunId;
import java.util.Optional;

/**
 * A run whose luggage is packed, on the machine that has it.
 *
 * @param session the agent's own conversation, if it has one yet
 * @param pushedTo the remote that has the latest checkpoint, if one has
 */
public record BundleSource(
        RunId run,
        int attempt,
        String driver,
        AgentLocation location,
        Optional<String> session,
        Optional<Worktree> worktree,
        Optional<String> pushedTo) {}
