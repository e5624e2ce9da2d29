package dev.roost.transfer;

import dev.roost.git.Worktree;
import dev.roost.model.RunId;
import java.util.Optional;

/**
 * A run to pack, on the machine that has its files.
 *
 * @param session the session id of the agent's conversation, if it has one
 * @param pushedTo the remote that has the latest checkpoint, if any
 */
public record BundleSource(
        RunId run,
        int attempt,
        String driver,
        AgentLocation location,
        Optional<String> session,
        Optional<Worktree> worktree,
        Optional<String> pushedTo) {}
