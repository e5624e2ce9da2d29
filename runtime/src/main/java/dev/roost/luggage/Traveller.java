package dev.roost.luggage;

import dev.roost.run.RunId;
import dev.roost.worktrees.Worktree;
import java.util.Optional;

/**
 * A run whose luggage is packed, on the machine that has it.
 *
 * @param session the agent's own conversation, if it has one yet
 * @param pushedTo the remote that has the latest checkpoint, if one has
 */
public record Traveller(
        RunId run,
        int attempt,
        String driver,
        Seat seat,
        Optional<String> session,
        Optional<Worktree> worktree,
        Optional<String> pushedTo) {}
